"""Sources: recordings, folders of stills, network cameras; how frames are taken from them."""

from __future__ import annotations

import shutil
import threading
from base64 import b64decode
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import parse_http_list, parse_keqv_list

import numpy as np
import pytest

from companion.vision.pictures import AnyFrame, EncodedFrame, Frame, cv2, jpeg, png
from companion.vision.readings import SourceError
from companion.vision.sources.cameras import list_usb_devices, stable_name
from companion.vision.sources.frames import LatestFrame, PacedPlayback, cut_jpeg
from companion.vision.sources.kinds import (
    Device,
    NetworkCamera,
    Stills,
    VideoFile,
    expected_source,
    parse_source,
)
from tests.vision.fakes import HEIGHT, WIDTH, film, grain, tray
from tests.vision.images import flat_png
from tests.waiting import WITHIN_S


def recorded(path: Path, codec: str) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), 20, (WIDTH, HEIGHT))
    for x in range(10):
        writer.write(tray([(20 * x, 100)]))
    writer.release()
    return path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return recorded(tmp_path / "clip.avi", "MJPG")


def test_a_file_plays_once_with_its_own_time_stamps(recording: Path) -> None:
    opened = parse_source(str(recording))
    assert opened == VideoFile(str(recording))
    frames = list(opened.frames())
    assert [frame.index for frame in frames] == list(range(10))
    assert [frame.captured_at for frame in frames] == pytest.approx([n / 20 for n in range(10)])
    assert frames[0].image.shape == (HEIGHT, WIDTH, 3)
    assert frames[0].image.dtype == np.uint8


def test_a_folder_shows_each_still_long_enough_to_be_read(tmp_path: Path) -> None:
    for name, x in (("b.jpg", 200), ("a.png", 100), ("notes.txt", 0)):
        if name.endswith("txt"):
            (tmp_path / name).write_text("no picture")
        else:
            cv2.imwrite(str(tmp_path / name), tray([(x, 100)]))
    opened = parse_source(str(tmp_path))
    assert opened == Stills(str(tmp_path))
    frames = list(opened.frames())
    assert len(frames) == 30
    assert frames[-1].captured_at == pytest.approx(2.9)
    assert (frames[0].image == tray([(100, 100)])).all(), "a.png comes first"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("99", "error.camera.unknown_device"),
        ("/dev/v4l/by-id/usb-nobody-video-index0", "error.camera.unknown_device"),
        ("no/such/clip.mp4", "error.camera.unknown_source"),
        ("http://[", "error.camera.unknown_source"),
    ],
)
def test_what_is_not_there_is_named(text: str, key: str) -> None:
    with pytest.raises(SourceError) as refusal:
        parse_source(text)
    assert refusal.value.key == key
    assert refusal.value.params["source"]


def test_a_device_that_is_not_plugged_in_yet_may_be_expected() -> None:
    later = expected_source("/dev/v4l/by-id/usb-nobody-video-index0")
    assert isinstance(later, Device)
    assert not later.present()
    with pytest.raises(SourceError):
        expected_source("no/such/clip.mp4")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("clip.mp4", "unreadable_file"),
        ("interlaced.mp4", "undecoded"),
        ("empty", "empty_folder"),
        ("bad", "unreadable_stills"),
    ],
)
def test_a_recording_without_pictures_says_so(tmp_path: Path, name: str, key: str) -> None:
    (tmp_path / "clip.mp4").write_bytes(b"no video")
    shutil.copy(Path(__file__).parents[1] / "clips" / "interlaced.mp4", tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.jpg").write_bytes(jpeg(tray())[:900])
    opened = parse_source(str(tmp_path / name))
    assert opened is not None
    assert opened.present()
    with pytest.raises(SourceError) as refusal:
        list(opened.frames())
    assert refusal.value.key == f"error.camera.{key}"


def test_a_device_is_known_by_the_name_that_survives_replugging(tmp_path: Path) -> None:
    nodes = [tmp_path / f"video{n}" for n in range(3)]
    names = tmp_path / "by-id"
    names.mkdir()
    for node, name in zip(nodes, ("usb-A-video-index0", "usb-A-video-index1"), strict=False):
        node.touch()
        (names / name).symlink_to(node)
    assert list_usb_devices(names) == (str(names / "usb-A-video-index0"),)
    assert stable_name(str(nodes[0]), names) == str(names / "usb-A-video-index0")
    assert stable_name(str(nodes[1]), names) == str(nodes[1]), "a metadata node is no camera"
    assert stable_name(str(nodes[2]), tmp_path / "nowhere") == str(nodes[2])


def test_a_bad_still_is_left_out_with_a_warning_and_the_others_are_shown(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg(tray())[:900])
    (tmp_path / "b.png").write_bytes(flat_png(40_000, 8))
    (tmp_path / "c.jpg").write_bytes(jpeg(tray()[::2]))
    (tmp_path / "d.jpg").symlink_to(tmp_path / "nowhere.jpg")
    (tmp_path / "e.png").write_bytes(png(tray()))
    (tmp_path / "f.jpg").mkdir()
    frames = list(Stills(str(tmp_path)).frames())
    assert [frame.image.shape for frame in frames] == 15 * [(HEIGHT // 2, WIDTH, 3)] + 15 * [
        (HEIGHT, WIDTH, 3)
    ]
    assert [frame.index for frame in frames] == list(range(30))
    assert [Path(record.picture).name for record in caplog.records] == ["a.jpg", "b.png"]  # type: ignore[attr-defined]


PICTURES = [jpeg(tray([(20 * x, 100)])) for x in range(8)]
PARTS = [b"--frame\r\nContent-Type: image/jpeg\r\n\r\n" + picture + b"\r\n" for picture in PICTURES]


NAME, WORD = "someone", "se@cret"


def is_let_in(header: str, auth: str, path: str) -> bool:
    """Whether the header `Authorization` has NAME and WORD under that scheme; RFC 7616, 7617."""
    scheme, _, credentials = header.partition(" ")
    if auth == "":
        return True
    if scheme != auth:
        return False
    if auth == "Basic":
        return b64decode(credentials).decode() == f"{NAME}:{WORD}"
    fields = parse_keqv_list(parse_http_list(credentials))
    one, two = (md5(text.encode()).hexdigest() for text in (f"{NAME}:tray:{WORD}", f"GET:{path}"))
    parts = [fields[name] for name in ("nonce", "nc", "cnonce", "qop")]
    return fields["response"] == md5(":".join([one, *parts, two]).encode()).hexdigest()


@contextmanager
def served(
    kind: str,
    body: list[bytes],
    hangs: threading.Event | None = None,
    auth: str = "",
    status: int = 200,
) -> Iterator[str]:
    """Serve this stream behind a redirect, to clients with the password under that scheme; then
    hang until `hangs` is set, or end. Without a status it does not answer.
    """

    class Stream(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/tray"):
                self.send_response(302)
                self.send_header("Location", "/stream")
                self.end_headers()
                return
            if not is_let_in(self.headers.get("Authorization", ""), auth, self.path):
                self.send_response(401)
                self.send_header("WWW-Authenticate", f'{auth} realm="tray", nonce="7", qop="auth"')
                self.end_headers()
                return
            if not status:
                return
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            with suppress(ConnectionError):
                for piece in body:
                    self.wfile.write(piece)
            if hangs is not None:
                hangs.wait(WITHIN_S)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}/tray"
    finally:
        server.shutdown()
        server.server_close()


def shown(url: str) -> list[AnyFrame]:
    """Collect the frames of the address until it is lost; the error names only its host."""
    opened = parse_source(url)
    assert isinstance(opened, NetworkCamera)
    seen = []
    with pytest.raises(SourceError) as lost:  # noqa: PT012
        for shot in opened.frames():
            seen.append(shot)
    assert lost.value.key == "error.camera.lost"
    parts = urlsplit(url)
    assert lost.value.params == {"source": f"http://{parts.hostname}:{parts.port}"}
    return seen


MULTIPART = "multipart/x-mixed-replace; boundary=frame"


@pytest.mark.parametrize("auth", ["Basic", "Digest"])
def test_an_address_with_a_password_is_opened_and_the_password_not_shown(auth: str) -> None:
    with served(MULTIPART, PARTS, auth=auth) as at:
        seen = shown(f"http://{NAME}:se%40cret@{at}?pwd=se%40cret")
        assert [shot.encoded for shot in seen if isinstance(shot, EncodedFrame)] == PICTURES
        with pytest.raises(SourceError) as refusal:
            next(NetworkCamera(f"http://{NAME}:else@{at}").frames())
    assert refusal.value.key == "error.camera.password"
    assert refusal.value.params == {"source": f"http://{at.removesuffix('/tray')}"}


HEAD = b"Content-Type: image/jpeg\r\n"
LONG = [b"Content-Length: %d\r\n" % len(picture) for picture in PICTURES]


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        (MULTIPART, [HEAD + b"\r\n" + each + b"\r\n--frame\r\n" for each in PICTURES]),
        (
            MULTIPART,
            [b"--frame\r\n" + HEAD + n + b"\r\n" + e for n, e in zip(LONG, PICTURES, strict=True)],
        ),
        ('multipart/x-mixed-replace; boundary="--frame"', PARTS),
        ("multipart/x-mixed-replace", [b"--else\n\n" + each for each in PICTURES]),
        ("multipart/x-mixed-replace", PICTURES),
        (MULTIPART, [b"--frame\r\n" + b"X: y\r\n" * 99_999 + each for each in PICTURES]),
        ("image/jpeg", PICTURES),
    ],
    ids=["header first", "with lengths", "quoted", "undeclared", "bare", "long heads", "no parts"],
)
def test_whatever_stands_between_the_pictures_of_a_stream_they_are_found(
    kind: str, parts: list[bytes]
) -> None:
    with served(kind, parts) as at:
        seen = shown(f"http://{at}")
    assert [shot.encoded for shot in seen if isinstance(shot, EncodedFrame)] == PICTURES


@pytest.mark.parametrize(
    ("status", "kind", "key"),
    [
        (403, MULTIPART, "password"),
        (404, "text/html", "no_stream"),
        (503, MULTIPART, "busy"),
        (409, MULTIPART, "busy"),
        (500, MULTIPART, "no_stream"),
        (0, MULTIPART, "no_answer"),
        (200, "text/html", "no_stream"),
    ],
)
def test_an_address_that_refuses_says_why(status: int, kind: str, key: str) -> None:
    with served(kind, PARTS, status=status) as at, pytest.raises(SourceError) as refusal:
        next(NetworkCamera(f"http://{NAME}:{WORD}@{at}").frames())
    assert refusal.value.key == f"error.camera.{key}"
    assert refusal.value.params == {"source": f"http://{at.removesuffix('/tray')}"}


def test_an_address_of_another_kind_that_does_not_answer_says_so() -> None:
    with pytest.raises(SourceError) as refusal:
        next(NetworkCamera("rtsp://someone:secret@127.0.0.1:9/tray").frames())
    assert refusal.value.key == "error.camera.no_answer"
    assert refusal.value.params == {"source": "rtsp://127.0.0.1:9"}


def test_an_address_that_hangs_is_lost() -> None:
    hangs = threading.Event()
    with served(MULTIPART, PARTS, hangs) as at:
        assert len(shown(f"http://{at}")) == 8
        hangs.set()


def test_what_an_address_sends_otherwise_is_decoded(tmp_path: Path) -> None:
    encoded = recorded(tmp_path / "film.avi", "mp4v").read_bytes()
    with served("video/x-msvideo", [encoded]) as at:
        seen = shown(f"http://{at}")
    assert len(seen) >= 6
    assert isinstance(seen[0], Frame)


def test_a_recording_for_a_slow_reader_leaves_nothing_out_and_never_hurries() -> None:
    now = [50.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    playing = PacedPlayback(film([tray()] * 5, fps=10), lambda: now[0], sleep)
    at = []
    for _ in range(5):
        frame = playing.take(1.0)
        assert frame is not None
        at.append(now[0])
        if frame.index == 1:
            now[0] += 0.7  # the reader thinks
    assert at[1] - at[0] == pytest.approx(0.1, abs=0.03)
    assert at[3] - at[2] == pytest.approx(0.1, abs=0.03), "the lost time is not made up for"
    with pytest.raises(EOFError):
        playing.take(1.0)
    waiting = PacedPlayback(film([tray()] * 2, fps=10), lambda: now[0], sleep)
    assert waiting.take(0.01) is not None
    assert waiting.take(0.01) is None, "it is not due yet"
    due = waiting.take(1.0)
    assert due is not None
    assert due.index == 1


def test_only_the_newest_frame_is_kept() -> None:
    taken = threading.Event()
    drained = threading.Event()

    def frames() -> Generator[Frame]:
        yield Frame(tray(), 0.0, 0)
        taken.wait(WITHIN_S)
        for index in range(1, 6):
            yield Frame(grain(tray(), index), index / 10, index)
        drained.set()

    newest = LatestFrame(frames())
    first = newest.take(WITHIN_S)
    taken.set()
    assert drained.wait(WITHIN_S)
    last = newest.take(WITHIN_S)
    assert first is not None
    assert last is not None
    assert (first.index, last.index) == (0, 5)
    with pytest.raises(EOFError):
        newest.take(WITHIN_S)


MINIATURE = jpeg(tray()[::8, ::8].copy())


def cut_from(stream: bytes, piece: int) -> tuple[list[bytes], bytearray]:
    """Feed the stream in pieces; return the pictures found, and the rest."""
    held = bytearray()
    found = []
    for at in range(0, len(stream), piece):
        held += stream[at : at + piece]
        while (encoded := cut_jpeg(held)) is not None:
            found.append(encoded)
    return found, held


def with_miniature(picture: bytes) -> bytes:
    """Put a thumbnail into the picture's head, as a camera's Exif has it."""
    body = b"Exif\0\0" + MINIATURE
    head = b"\xff\xe1" + (len(body) + 2).to_bytes(2) + body
    return picture[:2] + head + picture[2:]


@pytest.mark.parametrize("piece", [1000, 65_536])
def test_pictures_come_whole_whatever_lies_between_them(piece: int) -> None:
    broken = b"noise\xff\xd8noise" + PICTURES[0][:-40]
    stream = broken + b"\r\n--frame\r\n".join(PICTURES) + b"--frame"
    found, left = cut_from(stream, piece)
    assert found == PICTURES
    assert left == b"--frame"


def test_pictures_of_a_camera_that_sends_no_end_of_them_are_found() -> None:
    stream = b"\r\n--frame\r\n\r\n".join(picture[:-2] for picture in PICTURES)
    found, _ = cut_from(stream, 1000)
    assert found == PICTURES[:-2], "the end of the last ones is not known yet"


def test_what_looks_like_a_boundary_does_not_cut_a_picture_without_an_end() -> None:
    pictures = [picture[:-40] + b"\r\n--" + picture[-40:-2] for picture in PICTURES]
    found, _ = cut_from(b"".join(pictures), 1000)
    assert found == [picture + b"\xff\xd9" for picture in pictures[:-2]]


def test_a_picture_within_a_picture_does_not_end_it() -> None:
    both = with_miniature(PICTURES[0])
    found, left = cut_from(both + PICTURES[1], 1000)
    assert found == [both, PICTURES[1]]
    assert not left


@pytest.mark.parametrize("stream", [b"", b"\xff\xd8", b"\xff\xd8\xff", PICTURES[0][:-1], b"x" * 99])
def test_what_is_not_whole_stays(stream: bytes) -> None:
    found, left = cut_from(stream, 1000)
    assert found == []
    assert left == stream

"""Frames of sources: recordings, folders of stills, live captures, network cameras; and the pace at
which frames are taken.

How cameras of this machine are opened is in modules of their own. Network cameras send MJPEG over
HTTP, or streams that FFmpeg reads. Servers differ in boundaries, lengths and order of the parts of
a stream, so pictures are found by their own markers (`cut_jpeg`).
"""

from __future__ import annotations

import logging
import ssl
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from http.client import HTTPException, HTTPResponse
from itertools import count
from pathlib import Path
from typing import IO, Final
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import (
    BaseHandler,
    HTTPBasicAuthHandler,
    HTTPDigestAuthHandler,
    HTTPPasswordMgrWithDefaultRealm,
    HTTPSHandler,
    ProxyHandler,
    Request,
    build_opener,
)

import numpy as np
import numpy.typing as npt

from companion.redaction import shown_source
from companion.vision.pictures import FPS, AnyFrame, EncodedFrame, Frame, Image, as_bgr, cv2, decode
from companion.vision.readings import PhotoError, SourceError

STILL_FPS = 10
STILL_HOLD_S = 1.5
"""The time for which a folder shows each still: longer than dice must rest."""

MAX_JPEG_BYTES: Final = 8 << 20
"""The bytes without a whole picture after which a stream counts as having none."""

_BLACK_S = 5.0
"""The time from its start for which a recording may be all black, without any noise."""

_LATE_S = 0.02
"""The delay of a recording's frame above which all later ones are delayed too."""

_BEGIN, _END = b"\xff\xd8", b"\xff\xd9"
_MARK, _SCAN = 0xFF, 0xDA
_PICTURES = frozenset({".jpg", ".jpeg", ".png"})
_LOG = logging.getLogger(__name__)


def video_frames(path: str) -> Generator[Frame]:
    """Yields each frame of a file with its own time stamp, without delay."""
    capture = cv2.VideoCapture(path, cv2.CAP_FFMPEG)
    try:
        index = 0
        last = -1.0
        is_lit = False
        while True:
            taken, image = capture.read()
            if not taken:
                break
            at = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            if at <= last:  # a container without time stamps gives 0 for every frame
                at = last + 1 / (capture.get(cv2.CAP_PROP_FPS) or FPS)
            frame = Frame(as_bgr(image), at, index)
            is_lit = is_lit or bool(frame.image.any())
            if (not is_lit and at >= _BLACK_S) or (index == 0 and not _is_decoded(image, path)):
                raise SourceError("error.camera.undecoded", source=path)
            yield frame
            last = at
            index += 1
        if not is_lit:
            key = "undecoded" if index else "unreadable_file"
            raise SourceError(f"error.camera.{key}", source=path)
    finally:
        capture.release()


def _is_decoded(first: npt.NDArray[np.generic], path: str) -> bool:
    """Whether a file's first picture comes out of it: FFmpeg does not convert interlaced ones, and
    OpenCV delivers what was in that memory before as good."""
    capture = cv2.VideoCapture(path, cv2.CAP_FFMPEG)
    _, again = capture.read()
    capture.release()
    return np.array_equal(first, again)


def still_frames(path: str) -> Generator[Frame]:
    """Yields every still of a folder, by name, for 1.5 s each at 10 frames a second. One that
    cannot be read is skipped, with a warning that has the PhotoError as its `refusal`; SourceError
    if all are."""
    try:
        pictures = [p for p in sorted(Path(path).iterdir()) if _is_still(p)]
    except OSError as error:
        raise SourceError("error.camera.unreadable_file", source=path) from error
    if not pictures:
        raise SourceError("error.camera.empty_folder", source=path)
    each = round(STILL_HOLD_S * STILL_FPS)
    number = 0
    for picture in pictures:
        image = _still(picture)
        if image is None:
            continue
        for index in range(number * each, (number + 1) * each):
            yield Frame(image, index / STILL_FPS, index)
        number += 1
    if number == 0:
        raise SourceError("error.camera.unreadable_stills", source=path)


def _is_still(path: Path) -> bool:
    """Whether a file is a still; names with a leading dot are other systems' metadata."""
    is_hidden = path.name.startswith(".")
    return path.suffix.lower() in _PICTURES and not is_hidden and path.is_file()


def _still(path: Path) -> Image | None:
    try:
        return decode(path.read_bytes())
    except OSError as error:
        refusal = PhotoError("error.photo.unreadable_file", reason=error.strerror or "")
    except PhotoError as error:
        refusal = error
    about = {"picture": str(path), "refusal": refusal}
    _LOG.warning("%s is left out: %s", path, refusal.key, extra=about)
    return None


class LatestFrame:
    """Keeps the newest frame of a camera, which a thread of its own reads: a driver queues old
    frames for a slow reader, and each look must be at the present."""

    def __init__(self, frames: Iterator[AnyFrame]) -> None:
        self._frames = frames
        self._changed = threading.Condition()
        self._frame: AnyFrame | None = None
        self._error: SourceError | None = None
        self._ended = False
        threading.Thread(target=self._drain, name="frames", daemon=True).start()

    def take(self, timeout_s: float) -> AnyFrame | None:
        """Take the newest new frame; None if none comes in time. EOFError at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._frame is not None or self._ended, timeout_s)
            frame, self._frame = self._frame, None
            if frame is None and self._ended:
                raise self._error or EOFError
            return frame

    def _drain(self) -> None:
        try:
            for frame in self._frames:
                with self._changed:
                    self._frame = frame
                    self._changed.notify_all()
        except SourceError as error:
            self._error = error
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()


class PacedPlayback:
    """Plays a recording at its own speed, or slower for a slow reader, without dropping a frame:
    the readings do not depend on the machine."""

    def __init__(
        self,
        frames: Iterator[AnyFrame],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._frames = frames
        self._clock = clock
        self._sleep = sleep
        self._next: AnyFrame | None = None
        self._began_at = float("-inf")

    def take(self, timeout_s: float) -> AnyFrame | None:
        """Take the next frame when it is due; None if that is later. EOFError at the end."""
        if self._next is None:
            self._next = next(self._frames, None)
        frame = self._next
        if frame is None:
            raise EOFError
        # A late reader does not make the rest play faster.
        self._began_at = max(self._began_at, self._clock() - frame.captured_at - _LATE_S)
        early = self._began_at + frame.captured_at - self._clock()
        if early > timeout_s:
            self._sleep(timeout_s)
            return None
        if early > 0:
            self._sleep(early)
        self._next = None
        return frame


def live_frames(capture: cv2.VideoCapture, name: str) -> Generator[AnyFrame]:
    """Yields a live capture's frames, stamped as they arrive; SourceError when they stop.

    A capture set not to decode gives a JPEG's bytes in one row.
    """
    try:
        start = time.monotonic()
        for index in count():
            taken, image = capture.read()
            if not taken:
                raise SourceError("error.camera.lost", source=name)
            at = time.monotonic() - start
            is_packed = image.ndim == 2 and 1 in image.shape
            if is_packed:
                yield EncodedFrame(image.tobytes(), at, index)
            else:
                yield Frame(as_bgr(image), at, index)
    finally:
        capture.release()


def cut_jpeg(buffer: bytearray) -> bytes | None:
    """Cut the first whole JPEG and all before it off the buffer; None without a whole one."""
    begin = buffer.find(_BEGIN)
    while begin >= 0:
        scan = _scan(buffer, begin)
        if scan is None:  # no JPEG, or a broken one
            begin = buffer.find(_BEGIN, begin + 1)
            continue
        end = buffer.find(_END, scan)
        until = end if end >= 0 else len(buffer)
        next_begin = buffer.find(_BEGIN, scan, until)  # none can be in a picture
        if next_begin >= 0 and buffer.find(_BEGIN, next_begin + len(_BEGIN), until) >= 0:
            # Two pictures without an end: this camera sends none. An empty line ends a part's head.
            has_head = buffer.endswith(b"\r\n\r\n", scan, next_begin)
            part = buffer.rfind(b"\r\n--", scan, next_begin) if has_head else -1
            encoded = bytes(buffer[begin : part if part >= 0 else next_begin]) + _END
            del buffer[:next_begin]
            return encoded
        if next_begin >= 0 and end >= 0:  # this picture broke off
            begin = next_begin
            continue
        if end < 0:
            return None
        encoded = bytes(buffer[begin : end + len(_END)])
        del buffer[: end + len(_END)]
        return encoded
    return None


def jpeg_frames(
    more: Callable[[float], bytes], name: str, begin_s: float, silent_s: float
) -> Generator[EncodedFrame]:
    """Yields the JPEGs in a stream of bytes, stamped as they arrive. SourceError if none arrives
    within `begin_s`, or later `silent_s`. `more` reads bytes until a time of the monotonic clock;
    none at the end."""
    start = time.monotonic()
    buffer = bytearray()
    for index in count():
        deadline = time.monotonic() + (silent_s if index else begin_s)
        while (encoded := cut_jpeg(buffer)) is None:
            data = more(deadline)
            buffer += data
            if not data or len(buffer) > MAX_JPEG_BYTES:
                raise SourceError("error.camera.lost", source=name)
        yield EncodedFrame(encoded, time.monotonic() - start, index)


def _scan(buffer: bytearray, begin: int) -> int | None:
    """The position of the first scan, or how far it was searched; None if this is no JPEG.

    The end marker may also occur before the scan: in tables, or in a thumbnail.
    """
    at = begin + len(_BEGIN)
    while at + 3 < len(buffer):
        if buffer[at] != _MARK:
            return None
        if buffer[at + 1] == _SCAN:
            return at
        is_filler = buffer[at + 1] == _MARK
        at += 1 if is_filler else 2 + int.from_bytes(buffer[at + 2 : at + 4])
    return len(buffer)


ADDRESS_SILENT_S: Final = 1.5
"""The silence after which an address is lost and reopened. It is shorter than the supervisor's
limit (`camera.Timeouts.stall_s`), which would restart the whole process."""

BEGIN_S: Final = 2.5
"""The time limit for the first picture."""

_TIMEOUTS = [
    *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, round(1000 * BEGIN_S)),
    *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, round(1000 * ADDRESS_SILENT_S)),
]
_HTTP = frozenset({"http", "https"})
_CHUNK = 1 << 16
_REFUSALS = {
    401: "error.camera.password",
    403: "error.camera.password",
    404: "error.camera.no_stream",
    409: "error.camera.busy",
    423: "error.camera.busy",
    429: "error.camera.busy",
    503: "error.camera.busy",
}


def name_of(url: str) -> str:
    """The address without user name, password and path, for display."""
    parts = urlsplit(shown_source(url))
    return f"{parts.scheme}://{parts.netloc}"


def address_frames(url: str) -> Generator[AnyFrame]:
    """Yields the frames of an address for ever. SourceError if it refuses, or gives none for
    1.5 s."""
    name = name_of(url)
    answer = _open_stream(url, name) if urlsplit(url).scheme in _HTTP else None
    if answer is not None:
        with closing(answer):
            yield from jpeg_frames(partial(_more, answer), name, BEGIN_S, ADDRESS_SILENT_S)
    capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, _TIMEOUTS)
    if not capture.isOpened():
        capture.release()
        raise SourceError("error.camera.no_answer", source=name)
    yield from live_frames(capture, name)


def _open_stream(url: str, name: str) -> HTTPResponse | None:
    """Open an address that sends JPEGs; None if it sends something else. SourceError if it
    does not answer, refuses or shows no stream."""
    try:
        answer = _request(url)
    except HTTPError as refusal:
        refusal.close()
        key = _REFUSALS.get(refusal.code, "error.camera.no_stream")
        raise SourceError(key, source=name) from None
    except (OSError, HTTPException, ValueError):
        raise SourceError("error.camera.no_answer", source=name) from None
    kind = answer.headers.get_content_type()
    is_single = kind == "image/jpeg" and "Content-Length" in answer.headers
    if kind == "text/html" or is_single:
        answer.close()
        raise SourceError("error.camera.no_stream", source=name)
    if kind.startswith("multipart/") or kind == "image/jpeg":
        return answer
    answer.close()
    return None


def _more(answer: HTTPResponse, deadline: float) -> bytes:
    try:
        return answer.read1(_CHUNK) if time.monotonic() <= deadline else b""
    except (OSError, HTTPException, ValueError):
        return b""


class _Unread(BaseHandler):
    """Closes a redirect or a demand for a password before its body is read, which may be
    endless; the handlers after it answer."""

    handler_order = 100

    def http_error_401(self, _: Request, refusal: IO[bytes], *__: object) -> None:
        """Close it."""
        refusal.close()

    http_error_301 = http_error_302 = http_error_303 = http_error_401
    http_error_307 = http_error_308 = http_error_401


def _request(url: str) -> HTTPResponse:
    """Open the address with its name and password, which are sent only to its own host. No proxy is
    used, since a camera is on this network. Certificates are not checked: no authority signs one
    for a camera at home."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    passwords = HTTPPasswordMgrWithDefaultRealm()
    if parts.username is not None:
        root = f"{parts.scheme}://{host}/"
        passwords.add_password(None, root, unquote(parts.username), unquote(parts.password or ""))
    unchecked = ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    opener = build_opener(
        ProxyHandler({}),
        _Unread(),
        HTTPSHandler(context=unchecked),
        HTTPDigestAuthHandler(passwords),
        HTTPBasicAuthHandler(passwords),
    )
    answer = opener.open(urlunsplit(parts._replace(netloc=host)), timeout=ADDRESS_SILENT_S)
    assert isinstance(answer, HTTPResponse)
    return answer

"""The camera at the table: a recorded clip plays through the live path, and photos do the same."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from companion.cli.serve import announce
from companion.cli.words import sentence
from companion.engine import Face
from companion.service import wire
from companion.service.app_state import AppState
from companion.service.dice.cameras import AUTO, NONE, Cameras
from companion.service.settings import Settings
from companion.service.wire import QuestionKind
from companion.table import RefusedError
from companion.vision.camera import Timeouts, Watchdog
from companion.vision.messages import TrayChanged
from companion.vision.readings import CameraState, Drift, TrayReading, TrayState
from companion.vision.report import Misread, decode_report, is_same, read_again
from companion.vision.sources.cameras import FoundCamera
from tests.network_camera import OneThrow, in_the_network
from tests.service.person import Person
from tests.service.phone import START, Start, app_state_of, table_set
from tests.service.served import Browser, Json, Served, Stream, loopback, serving
from tests.service.supervised import supervised
from tests.vision.fakes import Recorded, Scripted
from tests.vision.images import segment
from tests.vision.test_report import entries_of
from tests.waiting import WITHIN_S, wait_until

CLIPS = Path(__file__).parent.parent / "clips"
READ = 30
"""Frames after which dice at rest are read for certain."""
LABELS = [json.loads(path.read_text()) for path in sorted(CLIPS.glob("*.json"))]


@pytest.fixture(params=LABELS, ids=[label["game"] for label in LABELS])
def labels(request: pytest.FixtureRequest) -> Json:
    found: Json = request.param
    return found


def start(browser: Browser, game: str) -> None:
    """A game of two in which the first roll is awaited."""
    browser.say(table_set("A", "B", game=game), START, command_id="start-the-game")
    to_next_roll(browser, "set-up")


def to_next_roll(browser: Browser, name: str) -> None:
    """Answer questions until a roll is awaited."""
    chance = random.Random(1)
    for n in range(20):
        question = open_question(browser)
        if question.kind is QuestionKind.ROLL:
            return
        options = [option.key for option in question.options if option.enabled]
        event: Json = {"type": "PutOff"}  # the dice are entered later
        if options:
            event = {"type": "Chosen", "seat": question.seat, "option": chance.choice(options)}
        browser.say(event, command_id=f"{name}-step-{n}")
    raise AssertionError("no roll is asked for")


def open_question(browser: Browser) -> wire.Question:
    game = browser.served.app_state.update(None).view.game
    assert game is not None
    assert game.question is not None
    return game.question


def proposals(stream: Stream) -> Iterator[wire.Proposal]:
    """Each proposal once, until the recording has ended."""
    seen = ""
    for message in stream:
        if message.event != "message":
            continue
        tray = message.update().view.tray
        if tray.proposal is not None and tray.proposal.id != seen:
            seen = tray.proposal.id
            yield tray.proposal
        if tray.camera is CameraState.ENDED:
            return


def test_each_throw_of_a_clip_is_proposed_once_and_applied_by_one_tap(
    tmp_path: Path, labels: Json
) -> None:
    settings = loopback(tmp_path / "data", game=labels["game"])
    rests = tuple(throw["settled_frame"] + READ for throw in labels["throws"])
    recorded = Recorded(str(CLIPS / labels["clip"]), str(tmp_path / "seen"), rests)
    with serving(settings, recorded) as served:
        browser = Browser(served).join()
        start(browser, labels["game"])
        found = []
        for proposal in proposals(browser.stream()):
            found.append(proposal)
            recorded.go_on()
        assert [proposal.roll for proposal in found] == [1, 2, 3]
        for proposal, throw in zip(found, labels["throws"], strict=True):
            assert_read(proposal, throw)
        last = found[-1]
        check_pictures(browser, last)
        faces = [die["face"] for die in labels["throws"][-1]["dice"]]
        roll = {"type": "DiceRolled", "faces": faces, "final": True}
        body = {"command_id": "apply-the-roll", "base_rev": served.app_state.update(None).view.rev}
        body |= {"events": [roll], "proposal_id": last.id}
        assert browser.ask("POST", "/api/commands", body)[0] == 200
        assert served.app_state.update(None).view.tray.proposal is None


def assert_read(proposal: wire.Proposal, throw: Json) -> None:
    """Every die is named rightly or marked as doubtful."""
    expected = len(throw["dice"])
    assert len(proposal.dice) == expected or "count" in proposal.problems
    truth = Counter(die["face"] for die in throw["dice"])
    sure = Counter(die.face for die in proposal.dice if die.sure)
    assert not sure - truth
    if len([die for die in proposal.dice if die.face is not None]) == expected:
        assert proposal.preview.rows, "what Apply would do is worked out"


def check_pictures(browser: Browser, proposal: wire.Proposal) -> None:
    """The tray and each die can be seen."""
    for path in (proposal.picture, *(die.crop for die in proposal.dice)):
        status, picture = browser.send("GET", path, {}, None)
        assert status == 200
        assert picture.startswith(b"\xff\xd8")


def test_a_photo_is_read_like_a_camera(tmp_path: Path, labels: Json) -> None:
    throw = labels["throws"][0]
    photo = photo_of(labels, throw)
    with serving(loopback(tmp_path, game=labels["game"])) as served:
        browser = Browser(served).join()
        assert post_photo(browser, photo) == (409, "error.no_roll_awaited")
        start(browser, labels["game"])
        assert post_photo(browser, b"no picture") == (422, "error.photo.format")
        assert post_photo(browser, photo) == (200, "")
        proposal = served.app_state.update(None).view.tray.proposal
        assert proposal is not None
        assert_read(proposal, throw)
        assert served.app_state.update(None).view.tray.camera is CameraState.NONE
        for path, body in (("read-again", {}), ("drift", {"act": "accept"})):
            refusal = browser.ask("POST", f"/api/{path}", body)[1]
            assert refusal["error"]["key"] == "error.no_camera"


def apply(browser: Browser, body: Json) -> None:
    assert browser.ask("POST", "/api/commands", body)[0] == 200


def read(browser: Browser, photo: bytes) -> wire.Proposal:
    """Send the photo, and return its proposal."""
    assert post_photo(browser, photo) == (200, "")
    proposal = browser.served.app_state.update(None).view.tray.proposal
    assert proposal is not None
    return proposal


def photo_of(label: Json, throw: Json) -> bytes:
    """Return a photo of the throw at rest."""
    cv2 = pytest.importorskip("cv2")
    video = cv2.VideoCapture(str(CLIPS / label["clip"]))
    video.set(cv2.CAP_PROP_POS_FRAMES, throw["settled_frame"] + 10)
    there, frame = video.read()
    video.release()
    assert there
    return bytes(cv2.imencode(".jpg", frame)[1])


def post_photo(browser: Browser, photo: bytes) -> tuple[int, str]:
    headers = {"Origin": browser.origin, "Content-Type": "image/jpeg"}
    status, body = browser.send("POST", "/api/photo", headers, photo)
    return status, json.loads(body).get("error", {}).get("key", "")


def lines_below_the_code(shown: str) -> list[str]:
    """Return what is printed below the QR code, line by line."""
    lines = shown.splitlines()
    code = max(n for n, line in enumerate(lines) if set("█▀▄") & set(line))
    return [line for line in lines[code + 1 :] if line.strip()]


@pytest.mark.parametrize(
    ("chosen", "found", "line"),
    [
        (AUTO, (), sentence("serve.no_camera", command="companion demo")),
        (AUTO, (FoundCamera("A", "/dev/null", "busy"),), sentence("error.camera.busy", source="A")),
        (NONE, (FoundCamera("A", "/dev/null"),), sentence("serve.camera_off")),
    ],
    ids=["none", "one that cannot be used", "off"],
)
def test_without_a_camera_four_lines_say_how_to_go_on(
    start: Start,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    chosen: str,
    found: tuple[FoundCamera, ...],
    line: str,
) -> None:
    state = app_state_of(start())
    state.settings = replace(state.settings, camera=chosen)
    state.cameras = Cameras(chosen, lambda: found)
    announce(state)
    shown = capsys.readouterr()
    first, *rest = lines_below_the_code(shown.err)
    assert json.loads(shown.out)["join"] in first
    games = sentence("serve.games", path=str(tmp_path))
    assert rest == [line, games, sentence("serve.stop")]


def test_a_folder_that_takes_nothing_is_named_with_the_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No user can write there, and none is needed to look at it."""
    state = AppState(Settings(Path("/proc")))
    announce(state)
    state.close()
    begin = sentence("serve.cannot_save", path="/proc", reason="\0").partition("\0")[0]
    assert begin in capsys.readouterr().err


FINDING = """
from companion.vision.sources import cameras
found = tuple(cameras.FoundCamera(*each) for each in {found!r})
cameras.find_cameras = cameras.find_usb_cameras = lambda: found
"""
"""Another list of the machine's cameras."""


def test_serve_without_options_reads_a_roll_of_the_camera_that_is_there(tmp_path: Path) -> None:
    throw = OneThrow("test_tokyo", 0)
    with in_the_network(throw) as address:
        finding = FINDING.format(found=[("Tray cam", address), ("Other", "/dev/null")])
        with supervised(tmp_path / "data", f"{tmp_path}/notify", before=finding) as service:
            size = {"width": 640, "height": 360}
            shown = sentence("serve.camera", name="Tray cam", other="/dev/null", **size)
            assert service.process.stderr is not None
            assert any(line == f"{shown}\n" for line in service.process.stderr)
            url, host = service.info["url"], Person()
            host.join(service.info["join"])
            host.say(url, "start-the-game", table_set("A", "B", game=throw.game), START)
            host.say(url, "cards-are-named-later", {"type": "PutOff"})
            assert host.ask(url, "/api/read-again", {})[0] == 200
            wait_until(lambda: host.view(url).tray.proposal is not None)
            proposal = host.view(url).tray.proposal
    assert proposal is not None
    assert Counter(str(die.face) for die in proposal.dice) == throw.faces


def test_a_camera_that_is_plugged_in_is_offered_to_the_host_and_used(tmp_path: Path) -> None:
    plugged: list[FoundCamera] = []
    throw = OneThrow("test_tokyo", 0)
    settings = loopback(tmp_path, game=throw.game)
    with in_the_network(throw) as address, serving(settings) as table:
        state = table.app_state
        state.cameras = Cameras(AUTO, lambda: (), lambda: tuple(plugged))
        host = Browser(table).join()
        assert host.ask("POST", "/api/camera", {})[1]["error"]["key"] == "error.camera.gone"
        assert host.view().tray.found == ""
        plugged.append(FoundCamera("Tray cam", address))
        wait_until(lambda: host.view().tray.found == "Tray cam")
        assert host.ask("POST", "/api/camera", {})[0] == 200
        wait_until(lambda: host.view().tray.camera is CameraState.OK)
        wait_until(lambda: host.view().tray.found == "")


def test_what_is_in_use_broken_or_not_wanted_is_not_offered() -> None:
    used = FoundCamera("A", "http://127.0.0.1:1/a")
    broken = FoundCamera("B", "http://127.0.0.1:1/b", "busy")
    cameras = Cameras(AUTO, lambda: (used,), lambda: (used, broken))
    assert cameras.name == "A"
    cameras.look(cameras.source())
    assert cameras.offered == ""
    with pytest.raises(RefusedError):
        cameras.take()
    cameras.look(None)
    assert cameras.offered == "A"
    cameras.tick(CameraState.OK, cameras.source())
    assert cameras.offered == "", "the camera in use has come back"
    off = Cameras(NONE, lambda: (used,), lambda: (used,))
    off.tick(CameraState.NONE, None)
    assert (off.name, off.offered, off.source()) == ("", "", None)


def test_a_drift_is_in_the_view_while_the_camera_sees_it(tmp_path: Path) -> None:
    source = Scripted(str(tmp_path), ("good", "good"))
    source.node.touch()
    with serving(loopback(tmp_path / "data"), source) as served:
        host = Browser(served).join()
        trays = (m.update().view.tray for m in host.stream() if m.event == "message")
        assert next(tray for tray in trays if tray.camera is CameraState.OK).drift is None
        for act in ("accept", "adjust"):
            assert host.ask("POST", "/api/drift", {"act": act})[0] == 200
        camera = served.app_state.tray.camera
        assert camera.footage().result(WITHIN_S) is None
        changed = TrayReading(state=TrayState.EMPTY, drift=Drift.MOVED)
        camera._receive(TrayChanged(changed), Watchdog(0.0, Timeouts()))
        assert next(tray for tray in trays if tray.drift is not None).drift is Drift.MOVED


LABEL = next(label for label in LABELS if label["game"] == "tokyo")
SECRET = b"the phone of Anna"


@pytest.fixture
def served_misreads(tmp_path: Path) -> Iterator[Served]:
    with serving(loopback(tmp_path, game=LABEL["game"])) as service:
        yield service


@pytest.fixture
def player(served_misreads: Served) -> Browser:
    browser = Browser(served_misreads).join()
    start(browser, LABEL["game"])
    assert browser.ask("POST", "/api/seat", {"seat": 0})[0] == 200
    return browser


def photo() -> bytes:
    """A photo of the clip's last throw, with a note in its metadata."""
    encoded = photo_of(LABEL, LABEL["throws"][-1])
    return encoded[:2] + segment(0xFE, SECRET) + encoded[2:]


def fetched_misreads(
    browser: Browser, proposal: str, faces: str | None = None
) -> tuple[int, bytes]:
    query = "" if faces is None else f"?faces={faces}"
    return browser.send("GET", f"/api/misread/{proposal}.zip{query}", {}, None)


def report_of(browser: Browser, proposal: str, faces: str | None = None) -> Misread:
    status, content = fetched_misreads(browser, proposal, faces)
    assert status == 200
    return decode_report(content, "mine")


def refused(browser: Browser, proposal: str, faces: str | None = None) -> tuple[int, str]:
    status, content = fetched_misreads(browser, proposal, faces)
    return status, json.loads(content)["error"]["key"]


def roll(
    served_misreads: Served, proposal: wire.Proposal, faces: list[Face | None], name: str
) -> Json:
    """The command that applies these faces to a proposal."""
    body: Json = {"command_id": name, "proposal_id": proposal.id}
    body |= {"events": [{"type": "DiceRolled", "faces": faces, "final": True}]}
    return body | {"base_rev": served_misreads.app_state.update(None).view.rev}


def last(served_misreads: Served) -> str:
    return served_misreads.app_state.update(None).view.tray.misread


def test_a_photo_s_report_has_what_was_put_right_and_is_read_again_to_the_same_result(
    player: Browser,
) -> None:
    proposal = read(player, photo())
    report = report_of(player, proposal.id)
    assert report.manifest.expected == len(proposal.dice)
    assert [die.face for die in report.manifest.reading.dice] == [d.face for d in proposal.dice]
    assert (report.manifest.put_right, report.manifest.applied) == (None, None)
    assert len(report.frames) == 1
    assert is_same(read_again(report, "mine"), report.manifest)
    faces = (None, *(die.face for die in proposal.dice[1:]))
    given = ",".join(face or "-" for face in faces)
    assert report_of(player, proposal.id, given).manifest.put_right == faces
    for wrong, key in (("", "wrong_face"), ("heal", "no_such_die"), ("moon,-", "wrong_face")):
        assert refused(player, proposal.id, wrong) == (400, f"error.{key}")


def test_a_report_names_nobody_and_no_address(player: Browser, served_misreads: Served) -> None:
    proposal = read(player, photo())
    _, content = fetched_misreads(player, proposal.id)
    view = served_misreads.app_state.update(None).view
    assert view.join is not None
    hidden = [SECRET, player.cookie.partition("=")[2].encode(), view.join.code.encode()]
    hidden += [b"127.0.0.1", str(served_misreads.port).encode(), proposal.id.encode()]
    assert [each for each in hidden if each in content] == []
    text = entries_of(content)["report.json"].decode()
    assert [name for name in ("player", "monster", view.table, "token") if name in text] == []


def test_a_roll_that_was_put_right_is_reported_after_the_next_one(
    player: Browser, served_misreads: Served
) -> None:
    proposal = read(player, photo())
    faces = [die.face for die in proposal.dice]
    faces[faces.index(Face.TWO)] = Face.HEAL
    assert last(served_misreads) == ""
    body = roll(served_misreads, proposal, faces, "put-right")
    apply(player, body)
    assert last(served_misreads) == proposal.id
    to_next_roll(player, "turn")
    newer = read(player, photo())
    apply(player, body)  # a phone that was asleep repeats it
    report = report_of(player, proposal.id)
    assert report.manifest.applied is not None
    assert sorted(report.manifest.applied) == sorted(face for face in faces if face)
    assert is_same(read_again(report, "mine"), report.manifest)
    assert report_of(player, newer.id).manifest.applied is None
    assert last(served_misreads) == proposal.id


def test_a_roll_that_was_applied_as_read_is_no_misread_and_only_the_last_photo_is_kept(
    player: Browser, served_misreads: Served
) -> None:
    first = read(player, photo())
    apply(player, roll(served_misreads, first, [die.face for die in first.dice], "as-read-1"))
    assert last(served_misreads) == ""
    to_next_roll(player, "turn")
    read(player, photo())
    for gone in (first.id, "no-such-proposal"):
        assert refused(player, gone) == (400, "error.report.gone")

"""The camera at the table: a recorded clip plays through the live path, and photos do the same."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.engine import Face
from companion.service import wire
from companion.service.settings import Settings
from companion.service.views.view import MONSTERS
from companion.service.wire import QuestionKind
from companion.vision.read.reader import FEWEST
from companion.vision.readings import CameraState
from tests.service.served import Browser, Json, Stream, serving
from tests.vision.fakes import Recorded

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
    seats = [{"player": n, "monster": m} for n, m in zip("AB", MONSTERS, strict=False)]
    table = {"type": "TableSet", "game": game, "edition": "first", "seats": seats}
    browser.say(table, {"type": "GameStarted", "first": 0}, command_id="start-the-game")
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
    settings = Settings(tmp_path / "data", host="127.0.0.1", port=0, game=labels["game"])
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
    assert proposal.expected == len(throw["dice"])
    assert len(proposal.dice) == proposal.expected or "count" in proposal.problems
    truth = Counter(die["face"] for die in throw["dice"])
    sure = Counter(die.face for die in proposal.dice if die.sure)
    assert not sure - truth
    if len([die for die in proposal.dice if die.face is not None]) == proposal.expected:
        assert proposal.rows, "what Apply would do is worked out"


def check_pictures(browser: Browser, proposal: wire.Proposal) -> None:
    """The tray and each die can be seen, by those who joined."""
    for path in (proposal.picture, *(die.crop for die in proposal.dice)):
        status, picture = fetched(browser, path)
        assert status == 200
        assert picture.startswith(b"\xff\xd8")
        assert fetched(Browser(browser.served), path)[0] == 403


def fetched(browser: Browser, path: str) -> tuple[int, bytes]:
    return browser.send("GET", path, {}, None)


def test_a_photo_is_read_like_a_camera(tmp_path: Path, labels: Json) -> None:
    throw = labels["throws"][0]
    photo = photo_of(labels, throw)
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=labels["game"])
    with serving(settings) as served:
        browser = Browser(served).join()
        assert post_photo(browser, photo) == (409, "error.no_roll_awaited")
        start(browser, labels["game"])
        assert post_photo(browser, b"no picture") == (422, "error.photo.format")
        assert post_photo(browser, photo) == (200, "")
        proposal = served.app_state.update(None).view.tray.proposal
        assert proposal is not None
        assert proposal.source == "photo"
        assert_read(proposal, throw)
        assert served.app_state.update(None).view.tray.camera is CameraState.NONE
        assert browser.ask("POST", "/api/read-again", {})[1]["error"]["key"] == "error.no_camera"


@pytest.mark.parametrize("undo", [False, True])
def test_what_the_table_says_of_a_roll_is_learnt_with_the_next_unless_it_is_undone(
    tmp_path: Path, undo: bool
) -> None:
    """What was learned shows in how sure the reader is; that the table called a two a heart, while
    other dice show the same as a two, does not make it one."""
    label = next(label for label in LABELS if label["game"] == "tokyo")
    photo = photo_of(label, label["throws"][-1])
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=label["game"])
    with serving(settings) as served:
        browser = Browser(served).join()
        start(browser, label["game"])
        first = read(browser, photo)
        for number in range(FEWEST + 1):
            proposal = read(browser, photo)
            if undo or number < FEWEST - 1:  # faces that several dice show are known from then on
                assert confidences(proposal) == confidences(first), number
            faces = [die.face for die in proposal.dice]
            place = faces.index(Face.TWO)
            faces[place] = Face.HEAL
            body: Json = {"command_id": f"the-roll-{number}", "proposal_id": proposal.id}
            body |= {"events": [{"type": "DiceRolled", "faces": faces, "final": True}]}
            body |= {"base_rev": served.app_state.update(None).view.rev}
            apply(browser, body)
            if undo:
                seq = served.app_state.update(None).view.rev
                browser.say({"type": "Undone", "seq": seq}, command_id=f"taken-back-{number}")
            to_next_roll(browser, f"turn-{number}")
            apply(browser, body)  # a phone that was asleep repeats it, and it teaches nothing more
        last = read(browser, photo)
        assert [die.face for die in last.dice] == [die.face for die in first.dice]
        assert (confidences(last) == confidences(first)) == undo


def apply(browser: Browser, body: Json) -> None:
    assert browser.ask("POST", "/api/commands", body)[0] == 200


def read(browser: Browser, photo: bytes) -> wire.Proposal:
    """Send the photo, and return its proposal."""
    assert post_photo(browser, photo) == (200, "")
    proposal = browser.served.app_state.update(None).view.tray.proposal
    assert proposal is not None
    return proposal


def confidences(proposal: wire.Proposal) -> list[float]:
    return [die.confidence for die in proposal.dice]


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


def test_a_camera_that_vanishes_says_so_and_hands_can_go_on(tmp_path: Path, labels: Json) -> None:
    gone = tmp_path / "clip.mp4"
    gone.write_bytes(b"this is no film")
    settings = Settings(
        tmp_path / "data", host="127.0.0.1", port=0, camera=str(gone), game=labels["game"]
    )
    with serving(settings) as served:
        browser = Browser(served).join()
        start(browser, labels["game"])
        trays = (m.update().view.tray for m in browser.stream() if m.event == "message")
        lost = next(tray for tray in trays if tray.camera is CameraState.LOST)
        assert lost.problem is not None
        assert lost.problem.key.startswith("error.camera.")
        game = served.app_state.update(None).view.game
        assert game is not None
        assert game.question is not None
        faces = [game.faces[0]] * game.question.dice
        browser.say({"type": "DiceRolled", "faces": faces, "final": True}, command_id="by-hand-1")


def test_the_reader_is_not_loaded_into_the_service() -> None:
    code = (
        "import sys; from companion.cli import main; imported = list(main.commands.values());"
        "print([m for m in ('cv2', 'numpy', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

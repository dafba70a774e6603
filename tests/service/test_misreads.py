"""A report of a misread roll, fetched over HTTP: what it holds, who gets it, and what it lacks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.engine import Face
from companion.service import wire
from companion.service.settings import Settings
from companion.vision.report import Misread, decode_report, is_same, read_again
from tests.service.served import Browser, Json, Served, serving
from tests.service.test_camera import (
    CLIPS,
    LABELS,
    READ,
    apply,
    photo_of,
    proposals,
    read,
    start,
    to_next_roll,
)
from tests.vision.fakes import Recorded
from tests.vision.images import segment
from tests.vision.test_report import entries_of

LABEL = next(label for label in LABELS if label["game"] == "tokyo")
SECRET = b"the phone of Anna"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=LABEL["game"])
    with serving(settings) as service:
        yield service


@pytest.fixture
def player(served: Served) -> Browser:
    browser = Browser(served).join()
    start(browser, LABEL["game"])
    assert browser.ask("POST", "/api/seat", {"seat": 0})[0] == 200
    return browser


def photo() -> bytes:
    """A photo of the clip's last throw, with a note in its metadata."""
    encoded = photo_of(LABEL, LABEL["throws"][-1])
    return encoded[:2] + segment(0xFE, SECRET) + encoded[2:]


def fetched(browser: Browser, proposal: str, faces: str | None = None) -> tuple[int, bytes]:
    query = "" if faces is None else f"?faces={faces}"
    return browser.send("GET", f"/api/misread/{proposal}.zip{query}", {}, None)


def report_of(browser: Browser, proposal: str, faces: str | None = None) -> Misread:
    status, content = fetched(browser, proposal, faces)
    assert status == 200
    return decode_report(content, "mine")


def refused(browser: Browser, proposal: str, faces: str | None = None) -> tuple[int, str]:
    status, content = fetched(browser, proposal, faces)
    return status, json.loads(content)["error"]["key"]


def roll(served: Served, proposal: wire.Proposal, faces: list[Face | None], name: str) -> Json:
    """The command that applies these faces to a proposal."""
    body: Json = {"command_id": name, "proposal_id": proposal.id}
    body |= {"events": [{"type": "DiceRolled", "faces": faces, "final": True}]}
    return body | {"base_rev": served.app_state.update(None).view.rev}


def last(served: Served) -> str:
    return served.app_state.update(None).view.tray.misread


def test_a_photo_s_report_is_read_again_to_the_same_result(player: Browser) -> None:
    proposal = read(player, photo())
    report = report_of(player, proposal.id)
    assert report.manifest.expected == proposal.expected
    assert [die.face for die in report.manifest.reading.dice] == [d.face for d in proposal.dice]
    assert (report.manifest.put_right, report.manifest.applied) == (None, None)
    assert len(report.frames) == 1
    assert is_same(read_again(report, "mine"), report.manifest)


def test_a_report_names_nobody_and_no_address(player: Browser, served: Served) -> None:
    proposal = read(player, photo())
    _, content = fetched(player, proposal.id)
    view = served.app_state.update(None).view
    assert view.join is not None
    hidden = [SECRET, player.cookie.partition("=")[2].encode(), view.join.code.encode()]
    hidden += [b"127.0.0.1", str(served.port).encode(), proposal.id.encode()]
    assert [each for each in hidden if each in content] == []
    text = entries_of(content)["report.json"].decode()
    assert [name for name in ("player", "monster", view.table, "token") if name in text] == []


def test_what_the_phone_put_right_is_in_the_report(player: Browser) -> None:
    proposal = read(player, photo())
    faces: list[Face | None] = [die.face for die in proposal.dice]
    faces[0] = None
    given = ",".join(face or "-" for face in faces)
    assert report_of(player, proposal.id, given).manifest.put_right == tuple(faces)


def test_a_roll_that_was_put_right_is_reported_after_the_next_one(
    player: Browser, served: Served
) -> None:
    proposal = read(player, photo())
    faces = [die.face for die in proposal.dice]
    faces[faces.index(Face.TWO)] = Face.HEAL
    assert last(served) == ""
    body = roll(served, proposal, faces, "put-right")
    apply(player, body)
    assert last(served) == proposal.id
    to_next_roll(player, "turn")
    newer = read(player, photo())
    apply(player, body)  # a phone that was asleep repeats it
    report = report_of(player, proposal.id)
    assert report.manifest.applied is not None
    assert sorted(report.manifest.applied) == sorted(face for face in faces if face)
    assert is_same(read_again(report, "mine"), report.manifest)
    assert report_of(player, newer.id).manifest.applied is None
    assert last(served) == proposal.id


def test_a_roll_that_was_applied_as_read_is_no_misread(player: Browser, served: Served) -> None:
    proposal = read(player, photo())
    apply(player, roll(served, proposal, [die.face for die in proposal.dice], "as-read-1"))
    assert last(served) == ""


def test_only_the_last_photo_is_kept(player: Browser) -> None:
    first = read(player, photo())
    read(player, photo())
    assert refused(player, first.id) == (400, "error.report.gone")
    assert refused(player, "no-such-proposal") == (400, "error.report.gone")


@pytest.mark.parametrize(
    ("faces", "key"),
    [("", "error.wrong_face"), ("heal", "error.no_such_die"), ("moon,-", "error.wrong_face")],
)
def test_faces_that_fit_no_dice_are_refused(player: Browser, faces: str, key: str) -> None:
    proposal = read(player, photo())
    assert refused(player, proposal.id, faces) == (400, key)


def test_nobody_without_a_seat_gets_a_report(player: Browser, served: Served) -> None:
    proposal = read(player, photo())
    watching = Browser(served).join()
    assert fetched(watching, proposal.id)[0] == 403
    assert fetched(Browser(served), proposal.id)[0] == 403


@pytest.mark.parametrize("label", LABELS, ids=[label["game"] for label in LABELS])
def test_a_roll_of_the_camera_is_reported_while_it_is_proposed_and_once_put_right(
    tmp_path: Path, label: Json
) -> None:
    settings = Settings(tmp_path / "data", host="127.0.0.1", port=0, game=label["game"])
    rests = tuple(throw["settled_frame"] + READ for throw in label["throws"])
    recorded = Recorded(str(CLIPS / label["clip"]), str(tmp_path / "seen"), rests)
    with serving(settings, recorded) as served:
        browser = Browser(served).join()
        start(browser, label["game"])
        assert browser.ask("POST", "/api/seat", {"seat": 0})[0] == 200
        seen = proposals(browser.stream())
        first = next(seen)
        report = report_of(browser, first.id)
        assert len(report.frames) >= 5
        assert is_same(read_again(report, "mine"), report.manifest)
        recorded.go_on()
        second = next(seen)
        assert refused(browser, first.id) == (400, "error.report.gone")
        game = served.app_state.update(None).view.game
        assert game is not None
        faces: list[Face | None] = [game.faces[0]] * second.expected
        apply(browser, roll(served, second, faces, "put-right"))
        assert last(served) == second.id
        recorded.go_on()
        report = report_of(browser, second.id)
        assert report.manifest.applied == tuple(faces)
        assert is_same(read_again(report, "mine"), report.manifest)

"""Boxes of dice over HTTP, and the set-up from begin to the box in use, with a scripted camera."""

from __future__ import annotations

import json
import queue
import random
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from flask import Flask

from companion.engine import RULESETS, Face
from companion.service.app_state import BOXES
from companion.service.dice.set_up import ABANDONED_S, OLD_S, DiceSetup
from companion.service.dice.shelf import MOST_BOXES, BoxShelf
from companion.service.dice.tray import TrayController
from companion.service.requests import BoxAct, BoxRequest, SetupAct, SetupRequest
from companion.service.wire import QuestionKind
from companion.table import RefusedError, Table
from companion.table.log import EventLog
from companion.vision.box import DiceSet, Lesson, Print, Profile, encode_box, is_small_png, rules_of
from companion.vision.camera import Camera, Timeouts
from companion.vision.messages import (
    BoxRecognised,
    CameraSetup,
    CheckKey,
    DiceRead,
    ReadNow,
    SetupStep,
)
from companion.vision.read.seen import FEWEST
from companion.vision.readings import CameraState, TrayReading, TrayState
from tests.service.phone import Phone, a_reading, app_state_of, play_until
from tests.service.served import Browser, Json, loopback, serving
from tests.vision.images import png_of
from tests.vision.showing import Posed, ShownBox
from tests.waiting import WITHIN_S, Clock

GAME, OTHER, *_ = RULESETS
SHOWN = next(game for game, rules in RULESETS.items() if Face.OUCH in rules.faces)
"""The game whose dice the camera sees."""
FACES = RULESETS[GAME].faces


def png(width: int = 8, height: int = 8) -> bytes:
    """Make a black PNG."""
    return png_of(width, height, zlib.compress(bytes(height * (1 + width * 3))))


def box(name: str = "Ana’s box", picture: bytes | None = None) -> DiceSet:
    faces: dict[Face, tuple[Print, ...]] = {
        face: (Print(picture=picture or png()),) for face in FACES
    }
    return DiceSet(name=name, game=GAME, faces=faces)


@pytest.mark.parametrize(
    ("content", "is_small"),
    [
        (b"", False),
        (b"no picture", False),
        (png()[:20], False),
        (png(257, 8), False),
        (png(8, 0), False),
        (png(256, 256), True),
    ],
)
def test_a_print_is_taken_if_it_is_a_small_png(content: bytes, is_small: bool) -> None:
    assert is_small_png(content) is is_small


def test_a_shelf_keeps_boxes_and_which_is_in_use_over_a_restart(tmp_path: Path) -> None:
    shelf = BoxShelf(tmp_path)
    assert shelf.kept() == ()
    first, second = shelf.add(box("one")), shelf.add(box("two"))
    assert shelf.chosen(GAME) == second
    shelf.choose(first.id)
    shelf.rename(first.id, "first")
    again = BoxShelf(tmp_path)
    assert [one.name for one in again.kept()] == ["first", "two"]
    chosen = again.chosen(GAME)
    assert chosen is not None
    assert chosen.name == "first"
    assert again.profile(Profile()).dice == {GAME: box().pictures()}
    again.delete(first.id)
    assert again.chosen(GAME) is None
    assert BoxShelf(tmp_path).profile(Profile()).dice == {}


def test_a_box_of_the_same_name_is_replaced_and_another_may_not_take_it(tmp_path: Path) -> None:
    shelf = BoxShelf(tmp_path)
    assert shelf.add(box("one")).id == shelf.add(box("one")).id
    two = shelf.add(box("two"))
    with pytest.raises(RefusedError, match=r"error\.box\.same_name"):
        shelf.rename(two.id, "one")


def test_a_shelf_is_bounded_and_skips_what_is_no_box(tmp_path: Path) -> None:
    shelf = BoxShelf(tmp_path)
    for number in range(MOST_BOXES):
        shelf.add(box(f"box {number}"))
    with pytest.raises(RefusedError, match=r"error\.box\.many"):
        shelf.add(box("one too many"))
    shelf.add(box("box 3"))
    (tmp_path / "00000000.json").write_text("{")
    (tmp_path / "index.json").write_text('{"chosen": 3}')
    again = BoxShelf(tmp_path)
    assert len(again.kept()) == MOST_BOXES
    assert again.chosen(GAME) is None


def await_roll(host: Phone) -> None:
    """Play up to the first roll."""
    host.set_up(GAME)
    play_until(host, QuestionKind.ROLL, random.Random(1))


def lying(app: Flask, host: Phone, face: Face | None, *, is_new: bool) -> tuple[bytes, ...]:
    """Have dice lie in the tray that the camera reads as this face; return their prints."""
    camera = app_state_of(app).tray.camera
    read = a_reading(GAME, [face] * host.dice())
    read = msgspec.structs.replace(read, prints=tuple(png(9, 9 + n) for n in range(len(read.dice))))
    camera.state, camera.tray = CameraState.OK, TrayReading(state=TrayState.UNSURE)
    camera._report(DiceRead(read, camera.tray, is_new))
    return read.prints


def taught(app: Flask) -> list[tuple[tuple[bytes, ...], tuple[Face, ...]]]:
    """The dice that the reader learns from, with the faces that were entered."""
    return [(one.prints, one.faces) for one in app_state_of(app).tray.camera.setup.learned]


@pytest.mark.parametrize("face", [None, FACES[0]], ids=["typed", "put right"])
def test_what_the_table_enters_teaches_until_it_is_undone(
    app: Flask, host: Phone, face: Face | None
) -> None:
    await_roll(host)
    prints = lying(app, host, face, is_new=face is not None)
    proposal = host.view().tray.proposal
    assert (proposal is None) is (face is None)
    of = {} if proposal is None else {"proposal_id": proposal.id}
    faces = tuple(FACES[n % 6] for n in range(host.dice()))
    rolled: Json = {"type": "DiceRolled", "faces": faces, "final": True}
    rev = host.say(rolled, **of)
    assert taught(app) == [(prints, faces)]
    host.say({"type": "Undone", "seq": rev})
    assert taught(app) == []
    host.say({"type": "Redone", "seq": rev + 1})
    assert taught(app) == [(prints, faces)]
    app_state_of(app).tray.forget_lessons()
    host.say({"type": "Undone", "seq": rev})
    assert taught(app) == [], "of a box that was brought back too"
    app_state_of(app).tray.camera.tray = TrayReading(state=TrayState.EMPTY)
    host.say({**rolled, "faces": faces[::-1]})
    assert taught(app) == [(prints, faces[::-1])], "of the dice that lay there then"


def test_only_what_is_undone_in_its_own_game_is_withdrawn(app: Flask, host: Phone) -> None:
    await_roll(host)
    lying(app, host, None, is_new=False)
    faces = FACES[:1] * host.dice()
    rev = host.say({"type": "DiceRolled", "faces": faces, "final": True})
    state = app_state_of(app)
    game = state.table.snapshot().game_id
    elsewhere = tuple(Lesson(GAME, (png(),), FACES[1:2], f"{game}-{row}") for row in (1, rev, 999))
    for lesson in elsewhere:
        state.tray.camera.learn(lesson)
    host.say({"type": "Undone", "seq": rev})
    host.set_up(GAME)
    learned = state.tray.camera.setup.learned
    assert learned == elsewhere, "of another table, whose games have like names"


@pytest.mark.parametrize("seen", [TrayState.ROLLING, TrayState.COUNT])
def test_faces_typed_while_no_dice_lie_there_teach_nothing(
    app: Flask, host: Phone, seen: TrayState
) -> None:
    await_roll(host)
    lying(app, host, None, is_new=False)
    app_state_of(app).tray.camera.tray = TrayReading(state=seen)
    host.say({"type": "DiceRolled", "faces": FACES[:1] * host.dice(), "final": True})
    assert taught(app) == []


def test_a_reading_is_proposed_for_its_own_roll_and_game_and_of_the_camera_in_use_alone(
    app: Flask, host: Phone
) -> None:
    await_roll(host)
    tray, read = app_state_of(app).tray, a_reading(GAME, FACES[:1] * host.dice())
    assert not tray._propose(read, ("g1", "the throw before"), is_photo=True)
    assert not tray._propose(a_reading(OTHER, FACES[:1]))
    assert host.view().tray.proposal is None
    assert tray._propose(read)
    assert host.view().tray.proposal is not None
    tray.use_source(None)
    assert host.view().tray.proposal is None


def test_no_other_run_of_the_service_gives_a_proposal_the_same_name(
    app: Flask, host: Phone
) -> None:
    """Browsers keep its pictures."""
    await_roll(host)
    state, names = app_state_of(app), set()
    again = TrayController(state.table, CameraSetup(None, rules_of(GAME)), lambda: None, Timeouts())
    for tray in (state.tray, again):
        assert tray._propose(a_reading(GAME, FACES[:1] * host.dice()))
        proposal = tray.view(state.table.snapshot(), None).proposal
        assert proposal is not None
        names.add(proposal.id)
    assert len(names) == 2


def test_strange_dice_become_a_box_once_they_are_known_which_grows_with_play(
    app: Flask, host: Phone
) -> None:
    state = app_state_of(app)
    camera = state.tray.camera
    for known, is_strange, is_kept in (
        (0, False, False), (4, True, False), (None, False, True), (None, False, True),
    ):  # fmt: skip
        await_roll(host)
        lying(app, host, None, is_new=False)
        host.say({"type": "DiceRolled", "faces": FACES[:1] * host.dice(), "final": True})
        camera.tray = TrayReading(state=TrayState.READ, known=known, is_strange=is_strange)
        state.setup.tick()
        assert (state.setup.in_use() is not None) is is_kept
        shelf = BoxShelf(state.settings.data / BOXES)
        assert shelf.profile(Profile()).played == (camera.setup.learned if is_kept else ())
    assert len(shelf.kept()) == 1
    assert len(camera.setup.learned) == 4


@pytest.mark.parametrize("act", [BoxAct.CHOOSE, BoxAct.DELETE])
def test_what_new_dice_have_taught_outlives_other_boxes(
    app: Flask, host: Phone, act: BoxAct
) -> None:
    host.set_up(OTHER)
    state = app_state_of(app)
    lesson = Lesson(OTHER, (png(),), RULESETS[OTHER].faces[:1], "g1-1")
    state.tray.camera.learn(lesson)
    state.setup.bring_back(encode_box(box()))
    (kept,) = state.setup.view().boxes
    state.setup.handle(BoxRequest(act=act, id=kept.id))
    assert state.tray.camera.setup.learned == (lesson,)
    host.set_up(GAME)
    state.tray.camera.tray = TrayReading(state=TrayState.READ)
    state.setup.tick()
    assert [one.name for one in state.setup.view().boxes] in ([], ["Ana’s box"])


def test_strange_dice_of_one_game_make_no_box_of_another(app: Flask, host: Phone) -> None:
    host.set_up(OTHER)
    state = app_state_of(app)
    state.tray.camera.tray = TrayReading(state=TrayState.UNSURE, known=3, is_strange=True)
    state.tray.camera.learn(Lesson(OTHER, (png(),), RULESETS[OTHER].faces[:1], "g1-1"))
    state.setup.tick()
    host.set_up(GAME)
    state.tray.camera.tray = TrayReading(state=TrayState.READ)
    state.setup.tick()
    assert state.setup.view().boxes == ()


def test_the_box_whose_dice_are_recognised_is_used(app: Flask, host: Phone) -> None:
    host.set_up(GAME)
    state = app_state_of(app)
    for name in ("Ana", "Bea"):
        state.setup.bring_back(encode_box(box(name)))
    ids = {one.name: one.id for one in state.setup.view().boxes}
    for recognised, used in ((ids["Ana"], "Ana"), ("gone", "Ana"), ("", None)):
        state.tray.camera.recognised = BoxRecognised(GAME, recognised)
        state.setup.tick()
        assert state.setup.in_use() == used
        assert bool(state.tray.camera.setup.profile.dice) is (used is not None)
    state.tray.camera.recognised = BoxRecognised(OTHER, ids["Ana"])
    state.setup.tick()
    assert state.setup.in_use() is None, "dice of the game that was played before"
    state.tray.camera.recognised = BoxRecognised(GAME, ids["Ana"])
    state.setup.handle(BoxRequest(act=BoxAct.CHOOSE, id=ids["Bea"]))
    state.setup.tick()
    assert state.setup.in_use() == "Bea", "the host has chosen since"


@pytest.mark.parametrize("is_typed", [False, True])
def test_recognised_dice_are_read_again_or_teach_their_own_box_if_they_were_typed(
    app: Flask, host: Phone, is_typed: bool
) -> None:
    await_roll(host)
    state = app_state_of(app)
    camera = state.tray.camera
    for name in ("Bea", "Ana"):
        state.setup.bring_back(encode_box(box(name)))
    ids = {one.name: one.id for one in state.setup.view().boxes}
    prints = lying(app, host, None, is_new=False)
    faces = FACES[:1] * host.dice()
    if is_typed:
        host.say({"type": "DiceRolled", "faces": faces, "final": True})
        state.setup.tick()
    camera._outbox = queue.SimpleQueue()
    camera.recognised = BoxRecognised(GAME, ids["Bea"])
    state.setup.tick()
    sent = [camera._outbox.get() for _ in range(camera._outbox.qsize())]
    assert [isinstance(one, ReadNow) for one in sent].count(True) == (not is_typed)
    assert taught(app) == ([(prints, faces)] if is_typed else [])
    state.setup.tick()
    shelf = BoxShelf(state.settings.data / BOXES)
    assert len(shelf.profile(Profile()).played) == is_typed
    shelf.choose(ids["Ana"])
    assert shelf.profile(Profile()).played == ()


def post_file(browser: Browser, content: bytes) -> tuple[int, Json]:
    headers = {
        "Origin": browser.origin,
        "X-Monster-Table": "1",
        "Content-Type": "application/octet-stream",
    }
    status, body = browser.send("POST", "/api/boxes/file", headers, content)
    return status, json.loads(body)


def test_boxes_are_imported_exported_and_managed(tmp_path: Path) -> None:
    with serving(loopback(tmp_path, game=GAME)) as served:
        host, content = Browser(served).join(), encode_box(box("Ana"))
        no_picture = encode_box(box(picture=b"no picture"))
        for wrong, key in ((b"{", "error.box.form"), (no_picture, "error.box.picture")):
            status, answer = post_file(host, wrong)
            assert (status, answer["error"]["key"]) == (400, key)
        status, view = post_file(host, content)
        assert status == 200
        (line,) = view["boxes"]
        assert (line["name"], line["chosen"], line["prints"]) == ("Ana", True, len(FACES))
        assert served.app_state.update(None).view.tray.box == "Ana"
        path = f"/api/boxes/{line['id']}"
        status, exported = host.send("GET", path, {}, None)
        assert (status, exported) == (200, content)
        assert host.send("GET", "/api/boxes/ffffffff", {}, None)[0] == 404
        form = {"act": "rename", "id": line["id"], "name": "Ben"}
        assert host.ask("POST", "/api/boxes", form)[1]["boxes"][0]["name"] == "Ben"
        assert host.ask("POST", "/api/boxes", {**form, "name": " x"})[0] == 400
        put_away = host.ask("POST", "/api/boxes", {"act": "put_away"})[1]
        assert not put_away["boxes"][0]["chosen"]
        assert served.app_state.update(None).view.tray.box is None
        assert host.ask("POST", "/api/boxes", {"act": "delete", "id": line["id"]})[1]["boxes"] == []
        assert host.ask("POST", "/api/boxes", {"act": "choose", "id": line["id"]})[0] == 409


def test_without_a_camera_no_set_up_begins(tmp_path: Path) -> None:
    with serving(loopback(tmp_path, game=GAME)) as served:
        host = Browser(served).join()
        for act, key in (("begin", "error.no_camera"), ("skip", "error.setup.over")):
            assert host.ask("POST", "/api/setup", {"act": act})[1]["error"]["key"] == key
        assert not host.ask("GET", "/api/setup")[1]["running"]
        assert host.send("GET", "/api/camera.jpg", {}, None) == (204, b"")


@pytest.fixture(scope="module")
def posed(tmp_path_factory: pytest.TempPathFactory) -> Posed:
    """A camera over six dice that rest."""
    camera = Posed(str(tmp_path_factory.mktemp("poses")))
    shown = ShownBox.of()
    camera.add("good", shown.show(shown.faces[0], 1))
    camera.show("good")
    return camera


def looked(host: Browser, fits: Callable[[Json], bool]) -> Json:
    """Look at the set-up until its state fits."""
    until = time.monotonic() + WITHIN_S
    while time.monotonic() < until:
        view: Json = host.ask("GET", "/api/setup")[1]
        if view["seen"] is not None and fits(view["seen"]):
            return view
    raise AssertionError("the set-up does not come there")


def step(host: Browser, act: str, **more: object) -> tuple[int, str]:
    status, body = host.ask("POST", "/api/setup", {"act": act, **more})
    return status, body.get("error", {}).get("key", "")


def test_small_pictures_are_shown_before_a_set_up_and_its_steps_are_taken_one_by_one(
    tmp_path: Path, posed: Posed
) -> None:
    with serving(loopback(tmp_path, game=SHOWN), posed) as served:
        host = Browser(served).join()
        status, picture = 204, b""
        until = time.monotonic() + WITHIN_S
        while status == 204 and time.monotonic() < until:
            status, picture = host.send("GET", "/api/camera.jpg", {}, None)
        assert picture.startswith(b"\xff\xd8")
        assert len(picture) <= 96 << 10
        assert step(host, "begin") == (200, "")
        seen = looked(host, lambda seen: bool(seen["dice"]))["seen"]
        assert {check["key"] for check in seen["checks"]} == {key.value for key in CheckKey}
        assert len(seen["dice"]) == 6
        assert step(host, "use", name="Ana") == (400, "error.setup.incomplete")
        assert step(host, "use") == (400, "error.box.no_name")
        assert step(host, "show") == (200, "")
        first = looked(host, lambda seen: any(one["good"] for one in seen["views"]))["seen"]
        assert first["stage"] == "faces"
        assert step(host, "undo") == (200, "")
        looked(host, lambda seen: not any(one["good"] for one in seen["views"]))
        assert step(host, "end") == (200, "")
        assert host.ask("GET", "/api/setup")[1]["running"] is False
        assert step(host, "show") == (409, "error.setup.over")


def test_a_tray_is_drawn_within_the_picture_and_outlives_a_restart(
    tmp_path: Path, posed: Posed
) -> None:
    with serving(loopback(tmp_path, game=SHOWN), posed) as served:
        host = Browser(served).join()
        lesson = Lesson(SHOWN, (png(),), (Face.OUCH,), "g1-1")
        served.app_state.tray.camera.learn(lesson)
        assert step(host, "begin") == (200, "")
        looked(host, lambda _: True)
        crossed = [[0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9]]
        assert step(host, "corners", corners=crossed) == (400, "error.setup.corners")
        beyond = [[0.1, 0.1], [1.1, 0.1], [0.9, 0.9], [0.1, 0.9]]
        assert step(host, "corners", corners=beyond)[0] == 400
        left = [[0.02, 0.02], [0.42, 0.02], [0.42, 0.98], [0.02, 0.98]]
        assert step(host, "corners", corners=left) == (200, "")
        seen = looked(host, lambda seen: seen["is_drawn"] and len(seen["dice"]) < 6)["seen"]
        assert len(seen["dice"]) == 2
        assert served.app_state.tray.camera.setup.learned == (lesson,), "of the same dice"
    with serving(loopback(tmp_path, game=SHOWN)) as served:
        assert served.app_state.tray.camera.setup.profile.tray is not None


def a_setup(folder: Path, clock: Clock) -> tuple[DiceSetup, Camera]:
    """Make the set-up of a table without a camera."""
    table = Table(EventLog(folder))
    tray = TrayController(table, CameraSetup(None, rules_of(SHOWN)), lambda: None, Timeouts())
    return DiceSetup(tray, BoxShelf(folder / BOXES), Profile(), clock), tray.camera


def test_a_set_up_at_which_nobody_looks_ends(tmp_path: Path) -> None:
    clock = Clock()
    setup, camera = a_setup(tmp_path, clock)
    camera.take_setup_step(SetupStep.BEGIN)
    setup.view()
    clock.move(ABANDONED_S)
    setup.tick()
    assert camera.setup_state is not None
    clock.move(0.1)
    setup.tick()
    assert camera.setup_state is None


def test_a_set_up_keeps_its_game_if_the_table_chooses_the_other_one(tmp_path: Path) -> None:
    setup, camera = a_setup(tmp_path, Clock())
    camera.state = CameraState.OK
    setup.take(SetupRequest(act=SetupAct.BEGIN))
    shown = dict.fromkeys(rules_of(SHOWN).faces, (png(),) * FEWEST)
    assert camera.setup_state is not None
    camera.setup_state = replace(camera.setup_state, prints=shown)
    camera.play(next(game for game in RULESETS if game != SHOWN))
    assert (setup.view().game, setup.view().complete) == (SHOWN, True)
    setup.take(SetupRequest(act=SetupAct.USE, name="Ana’s box"))
    assert [one.game for one in setup.view().boxes] == [SHOWN]


def test_a_picture_of_long_ago_is_not_shown(tmp_path: Path) -> None:
    clock = Clock()
    setup, camera = a_setup(tmp_path, clock)
    for _ in range(2):
        camera.state, camera.picture = CameraState.OK, b"before"
        clock.move(OLD_S)
        assert setup.picture() is None
        assert setup.picture() is None  # as another phone asks at once
        camera.picture = b"dice"
        clock.move(OLD_S / 2)
        assert setup.picture() == b"dice"

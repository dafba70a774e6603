"""Turns without a tap: which readings light the fuse, what puts it out, and what it then does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from flask import Flask

from companion.engine import (
    CardShown,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Number,
    OrderChosen,
    Reveal,
    Seat,
)
from companion.service import wire
from companion.service.dice.auto_apply import AutoApply, Seen
from companion.service.views.preview import preview_answer
from companion.service.wire import FuseKind
from companion.table import (
    TRAY,
    GameStarted,
    Input,
    PhoneFreeSet,
    Snapshot,
    Table,
    Undone,
    undoable,
)
from companion.vision.readings import (
    CameraState,
    DiceReading,
    Drift,
    ReadingProblem,
    TrayReading,
    TrayState,
)
from tests.browser.evening import Evening, named
from tests.browser.scenes import first
from tests.service.phone import Phone, app_state_of, play_until, read_dice
from tests.service.phone import a_reading as reading_of
from tests.waiting import WITHIN_S

LONG_S = 3600.0
"""A fuse that burns for the whole of a test."""
SHORT_S = 0.001
FUSE = PhoneFreeSet(fuse=True)
ENDS = PhoneFreeSet(tray_ends=True)
PLAIN = "2 heal 2 energy 2 one"
"""Nobody is hurt, nothing is asked but what to buy."""
ORDER = "heal energy one"
EMPTY = TrayReading(state=TrayState.EMPTY)
DICE = TrayReading(state=TrayState.READ)


def a_reading(faces: str, roll: int, **more: object) -> DiceReading:
    return msgspec.structs.replace(reading_of("tokyo", named(faces), roll), **more)


@dataclass
class Stand:
    """A table whose camera shows what a test says."""

    folder: Path
    chosen: PhoneFreeSet = FUSE
    seconds: float = LONG_S
    evening: Evening = field(init=False)
    auto_apply: AutoApply = field(init=False)
    seen: Seen = field(init=False)
    reading: DiceReading | None = None
    asked: str = ""
    """The question that was open when it was read."""
    count: int = 0

    def __post_init__(self) -> None:
        self.evening = Evening(self.folder, "tokyo").seats().begin(cards=("rapid_healing",))
        self.evening.skip_to_roll().say(self.chosen)
        self.seen = Seen(CameraState.OK, EMPTY)
        self.changed = threading.Condition()
        self.auto_apply = AutoApply(self.table, self.look, self._wake, self.seconds)
        self.table.subscribe(self.auto_apply.follow)
        self.table.subscribe(self._wake)

    @property
    def table(self) -> Table:
        return self.evening.table

    def look(self, snapshot: Snapshot) -> Seen:
        """Return what the camera shows, as the tray does."""
        position, reading = snapshot.state.position, self.reading
        if reading is None or position is None or snapshot.state.question_id != self.asked:
            return self.seen
        faces = tuple(die.face for die in reading.dice if die.face is not None)
        whole = len(faces) == len(reading.dice) == getattr(position.question, "dice", 0)
        preview = preview_answer(position, faces) if whole else None
        return replace(self.seen, proposal=f"p{self.count}", reading=reading, preview=preview)

    def read(self, reading: DiceReading, sight: TrayReading = DICE) -> None:
        """The camera reads dice at rest."""
        self.reading, self.seen = reading, Seen(self.seen.camera, sight)
        self.asked, self.count = self.table.snapshot().state.question_id, self.count + 1
        self.auto_apply.follow()

    def rolls(self, faces: str = PLAIN, count: int = 3, **more: object) -> None:
        """The camera reads so many rolls, the last one with what is said of it."""
        for roll in range(1, count):
            self.read(a_reading("6 attack", roll))
        self.read(a_reading(faces, count, **more))

    def shows(self, sight: TrayReading, camera: CameraState = CameraState.OK) -> None:
        self.seen = Seen(camera, sight)
        self.auto_apply.follow()

    def burns(self) -> FuseKind | None:
        fuse = self.auto_apply.view()
        return fuse.kind if fuse is not None else None

    def until(self, rev: int) -> Snapshot:
        """Wait until the table has so many rows."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.table.snapshot().rev >= rev, WITHIN_S)
        return self.table.snapshot()

    def _wake(self) -> None:
        with self.changed:
            self.changed.notify_all()


Make = Callable[..., Stand]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make tables; their fuses are put out at the end."""
    with ExitStack() as stack:

        def made(chosen: PhoneFreeSet = FUSE, seconds: float = LONG_S) -> Stand:
            stand = Stand(tmp_path, chosen, seconds)
            stack.enter_context(closing(stand.auto_apply))
            return stand

        yield made


def cleared(make: Make, chosen: PhoneFreeSet = ENDS, seconds: float = LONG_S) -> Stand:
    """A table whose dice were applied and lie in the tray; a card can be paid."""
    stand = make(chosen, seconds)
    stand.evening.numbers(0, 8, 3, 9)
    stand.shows(DICE)
    stand.evening.roll(PLAIN, ORDER)
    assert stand.evening.question.key == "buy"
    return stand


def test_a_sure_reading_of_the_last_roll_applies_itself_by_the_trays_name(make: Make) -> None:
    stand = make(seconds=SHORT_S)
    rev = stand.evening.rev
    stand.rolls()
    snapshot = stand.until(rev + 2)
    rows = snapshot.entries[rev : rev + 2]
    assert [type(row.event) for row in rows] == [OrderChosen, DiceRolled]
    assert rows[1].event == DiceRolled(named(PLAIN), (), final=True)
    assert {row.who for row in rows} == {TRAY}
    row = undoable(snapshot)
    assert row is not None
    assert row.command_id == rows[0].command_id
    shown = stand.evening.update().view
    assert [row.tray for row in shown.log if row.seq > rev] == [True, True]
    assert shown.undo is not None
    assert shown.undo.seq == rev + 1
    stand.evening.say(Undone(row.seq))
    assert stand.evening.question.key == "roll"


def with_first_die(**doubt: object) -> dict[str, Any]:
    """A reading whose first die is in doubt."""
    first_die, *others = a_reading(PLAIN, 3).dice
    return {"dice": (msgspec.structs.replace(first_die, **doubt), *others)}


DOUBTS: dict[str, dict[str, Any]] = {
    "not sure": {"sure": False},
    "a problem": {"problems": (ReadingProblem.GLARE,)},
    "another box": {"game": "new-york"},
    "a die without a face": with_first_die(face=None),
    "a leaning die": with_first_die(flat=False, problem=ReadingProblem.NOT_FLAT),
    "a doubtful die": with_first_die(problem=ReadingProblem.DOUBTFUL),
    "a die too few": {"dice": a_reading("5 heal", 3).dice},
    "a die too many": {"dice": a_reading("7 heal", 3).dice},
}


@pytest.mark.parametrize("doubt", DOUBTS.values(), ids=DOUBTS)
def test_no_fuse_for_a_reading_in_doubt(make: Make, doubt: dict[str, Any]) -> None:
    stand = make()
    stand.rolls(**doubt)
    assert stand.burns() is None


@pytest.mark.parametrize("chosen", [PhoneFreeSet(), FUSE, ENDS], ids=["nothing", "fuse", "end"])
def test_nothing_happens_unless_the_table_switched_it_on(make: Make, chosen: PhoneFreeSet) -> None:
    stand = cleared(make, chosen)
    stand.shows(EMPTY)
    assert stand.burns() is (FuseKind.END if chosen.tray_ends else None)
    stand.evening.choose("end").skip_to_roll()
    stand.rolls()
    assert stand.burns() is (FuseKind.APPLY if chosen.fuse else None)


@pytest.mark.parametrize(
    "sight",
    [
        TrayReading(state=TrayState.HAND),
        TrayReading(state=TrayState.ROLLING),
        TrayReading(state=TrayState.TAKEN),
        TrayReading(state=TrayState.READ, drift=Drift.LIGHT),
        TrayReading(state=TrayState.PROBLEM, problem=ReadingProblem.TOO_DARK),
        EMPTY,
    ],
    ids=lambda sight: f"{sight.state}-{sight.drift or sight.problem}",
)
def test_the_fuse_goes_out_when_the_dice_are_not_seen_as_they_were_read(
    make: Make, sight: TrayReading
) -> None:
    stand = make()
    stand.rolls()
    assert stand.burns() is FuseKind.APPLY
    stand.shows(sight)
    assert stand.burns() is None
    stand.shows(DICE)
    assert stand.burns() is None, "one reading has one fuse"


def test_no_fuse_while_rolls_are_left(make: Make) -> None:
    stand = make()
    stand.rolls(count=1)
    assert stand.burns() is None
    stand.read(a_reading(PLAIN, 2))
    assert stand.burns() is None
    stand.read(a_reading(PLAIN, 2))
    assert stand.burns() is None, "the same roll, read again, is no further roll"
    stand.read(a_reading(PLAIN, 3))
    assert stand.burns() is FuseKind.APPLY


def test_the_dice_of_the_turn_before_read_again_are_no_roll_of_this_one(make: Make) -> None:
    stand = make()
    stand.rolls()
    stand.evening.roll(PLAIN, ORDER).skip_to_roll()
    stand.read(a_reading(PLAIN, 3))
    stand.read(a_reading("6 attack", 4))
    stand.read(a_reading(PLAIN, 5))
    assert stand.burns() is None, "one roll is left"
    stand.read(a_reading(PLAIN, 6))
    assert stand.burns() is FuseKind.APPLY


def test_a_photo_lights_no_fuse(app: Flask, host: Phone) -> None:
    host.set_up("tokyo")
    play_until(host, wire.QuestionKind.ROLL, Random(1))
    tray, table = app_state_of(app).tray, app_state_of(app).table
    assert read_dice(app, named(PLAIN)).proposal is not None
    assert tray.seen(table.snapshot()).reading is not None
    assert tray._propose(a_reading(PLAIN, 1), is_photo=True)
    assert tray.seen(table.snapshot()).reading is None


def test_it_is_seen_to_burn_and_a_touch_puts_it_out_until_another_question_is_asked(
    make: Make,
) -> None:
    stand = make()
    rev = stand.evening.rev
    stand.rolls()
    fuse = stand.auto_apply.view()
    assert fuse is not None
    assert (fuse.kind, fuse.seat, fuse.seconds) == (FuseKind.APPLY, 0, LONG_S)
    assert 0 < fuse.left_s <= LONG_S
    stand.auto_apply.cancel("tray-of-before")
    assert stand.burns() is FuseKind.APPLY, "an old fuse's name puts out none"
    stand.auto_apply.cancel(fuse.id)
    assert stand.burns() is None
    stand.read(a_reading(PLAIN, 4))
    assert stand.burns() is None
    assert stand.evening.rev == rev


def test_another_reading_puts_it_out_and_has_a_fuse_of_its_own(make: Make) -> None:
    stand = make()
    stand.rolls()
    first = stand.auto_apply.view()
    stand.read(a_reading("4 heal 2 energy", 4))
    second = stand.auto_apply.view()
    assert first is not None
    assert second is not None
    assert first.id != second.id
    stand.read(a_reading(PLAIN, 5, sure=False))
    assert stand.burns() is None


def test_a_lost_camera_puts_it_out_and_counts_no_roll_of_before(make: Make) -> None:
    stand = make()
    stand.rolls()
    stand.shows(DICE, CameraState.LOST)
    assert stand.burns() is None
    stand.seen = Seen(CameraState.OK, DICE)
    stand.read(a_reading(PLAIN, 4))
    assert stand.burns() is None


@pytest.mark.parametrize(
    "event", [Corrected((Correction(Seat(1), Number.ENERGY, 2),)), PhoneFreeSet()]
)
def test_any_command_puts_it_out(make: Make, event: Input) -> None:
    stand = make()
    stand.rolls()
    stand.evening.say(event, who=0)
    assert stand.burns() is None


def test_what_was_undone_is_not_applied_again(make: Make) -> None:
    stand = make()
    rev = stand.evening.rev
    stand.rolls()
    stand.evening.roll(PLAIN).say(Undone(rev + 1))
    stand.rolls()
    assert stand.burns() is None


@pytest.mark.parametrize(("health", "burns"), [(1, None), (2, FuseKind.APPLY)])
def test_a_person_applies_dice_that_put_somebody_out(
    make: Make, health: int, burns: FuseKind | None
) -> None:
    stand = make()
    stand.evening.roll("1 attack 5 heal", "heal attack").skip_to_roll()
    stand.evening.numbers(0, health, 3, 0)
    stand.rolls("1 attack 5 heal")
    assert stand.burns() is burns


@pytest.mark.parametrize(("energy", "burns"), [(2, None), (1, FuseKind.APPLY)])
def test_a_person_applies_dice_while_a_power_can_be_used(
    make: Make, energy: int, burns: FuseKind | None
) -> None:
    stand = make()
    stand.evening.numbers(0, 5, 3, 9).roll(PLAIN, ORDER).buy("rapid_healing").skip_to_roll()
    while stand.evening.question.seat != 0:
        stand.evening.roll(PLAIN, ORDER).skip_to_roll()
    stand.evening.numbers(0, 5, 3, energy)
    stand.rolls()
    assert stand.burns() is burns


def test_a_cleared_tray_ends_the_turn_by_the_trays_name(make: Make) -> None:
    stand = cleared(make, seconds=SHORT_S)
    rev = stand.evening.rev
    stand.shows(EMPTY)
    snapshot = stand.until(rev + 1)
    assert snapshot.entries[rev].event == Chosen(Seat(0), "end")
    assert snapshot.entries[rev].who == TRAY
    assert snapshot.state.game is not None
    assert snapshot.state.game.turn.active == 1
    row = undoable(snapshot)
    assert row is not None
    stand.evening.say(Undone(row.seq))
    assert stand.evening.question.key == "buy"
    assert stand.burns() is None, "what was undone does not happen again"


@pytest.mark.parametrize("shown", ["empty all along", "dice not applied", "somebody is asked"])
def test_an_empty_tray_ends_nothing_yet(make: Make, shown: str) -> None:
    stand = make(ENDS)
    match shown:
        case "empty all along":
            stand.evening.numbers(0, 8, 3, 9).roll(PLAIN, ORDER)
        case "dice not applied":
            stand.read(a_reading(PLAIN, 1))
        case "somebody is asked":
            stand.evening.roll("1 attack 5 heal", "heal attack").skip_to_roll()
            stand.shows(DICE)
            stand.evening.roll("1 attack 5 heal", "heal attack")
            assert stand.evening.question.window == "flee"
    stand.shows(EMPTY)
    assert stand.burns() is None


HAND = TrayReading(state=TrayState.HAND)


@pytest.mark.parametrize(
    ("shown", "burns"),
    [
        ((EMPTY, CameraState.LOST), None),
        ((EMPTY, CameraState.STARTING), None),
        ((EMPTY, CameraState.NONE), None),
        ((HAND, CameraState.OK), FuseKind.END),
    ],
)
def test_a_tray_is_cleared_only_while_it_is_seen(
    make: Make, shown: tuple[TrayReading, CameraState], burns: FuseKind | None
) -> None:
    stand = cleared(make)
    stand.shows(*shown)
    assert stand.burns() is None
    stand.shows(EMPTY)
    assert stand.burns() is burns


def test_a_purchase_after_clearing_leaves_the_turn_to_a_tap(make: Make) -> None:
    stand = cleared(make)
    stand.evening.numbers(0, 8, 3, 30)
    stand.shows(EMPTY)
    assert stand.burns() is FuseKind.END
    stand.evening.choose(first(stand.evening, "buy_"))
    while isinstance(stand.evening.question, Reveal):
        stand.evening.say(CardShown(stand.evening.question.names[0]))
    assert stand.evening.question.key == "buy"
    assert stand.burns() is None


def test_the_settings_outlast_undo_and_the_next_game(make: Make) -> None:
    stand = make(FUSE)
    entries = stand.table.snapshot().entries
    start = next(one.seq for one in entries if isinstance(one.event, GameStarted))
    shown = stand.evening.update().view
    assert shown.undo is None or shown.undo.seq < stand.evening.rev, "undo names no setting"
    assert not shown.log[-1].undone
    stand.evening.say(Undone(start))
    assert stand.table.snapshot().state.phone_free == FUSE
    stand.evening.begin().seats()
    assert stand.table.snapshot().state.game is None, "another table"
    assert stand.table.snapshot().state.phone_free == FUSE


def test_the_host_alone_switches_it_and_any_phone_puts_it_out(app: Flask, host: Phone) -> None:
    host.sit(0)
    host.set_up("tokyo")
    player, watcher = Phone(app).join(), Phone(app).join()
    player.sit(1)
    on = {"type": "PhoneFreeSet", "fuse": True, "tray_ends": True}
    for phone in (player, watcher):
        assert phone.command(on).status_code == 403
    assert host.view().tray.phone_free == wire.PhoneFree()
    host.say(on)
    for phone in (host, player, watcher):
        assert phone.view().tray.phone_free == wire.PhoneFree(fuse=True, tray_ends=True)
        assert phone.post("/api/fuse", {"id": "tray-0"}).status_code == 200
    assert Phone(app).post("/api/fuse", {"id": "tray-0"}).status_code == 403
    row = host.view().log[-1]
    assert (row.words.key, row.tray, row.undone) == ("did.phone_free.fuse_ends", False, False)

"""The messages of pages that phones request: set-up, statistics, stories, looking back."""

from __future__ import annotations

from enum import StrEnum

from companion.engine import Change, Corrected, Face, Number
from companion.records import CardLine, MonsterLine, PlaceLine, PlayerLine, Share
from companion.service.wire import Cause, NewsLine, SeatView, Wire, Words
from companion.table import Redone, Undone
from companion.vision.messages import Check, SetupSeen
from companion.vision.readings import CameraState


class BoxLine(Wire, frozen=True):
    """A box of dice that is kept."""

    id: str
    name: str
    game: str
    prints: int
    chosen: bool = False


class SetupView(Wire, frozen=True):
    """The state of the set-up. `seen` is None before the first look, and if none runs."""

    running: bool
    camera: CameraState
    game: str
    least: int
    """The good views with which a face may be left."""
    boxes: tuple[BoxLine, ...]
    worst: Check | None = None
    seen: SetupSeen | None = None
    complete: bool = False
    """Whether the prints of all faces are there, so that they can be kept as a box."""


class FeatView(Wire, frozen=True):
    """A record: `value` as it is shown, "8" or "1:12" hours."""

    sign: str
    value: str
    what: Words
    note: Words | None = None
    """Who holds it, or how many turns it took."""


class PlayerStatistics(Wire, frozen=True):
    """A player over all finished games, with one sentence about it."""

    line: PlayerLine
    note: Words
    aliases: tuple[str, ...] = ()
    """Names that the host has merged into this one."""


class DiceStatistics(Wire, frozen=True):
    """The dice of a box. Below `needed` dice there is no sentence but `head`."""

    game: str
    count: int
    needed: int
    fair: float
    head: Words
    faces: dict[Face, Share]
    often: Words | None = None
    """How often fair dice differ as much."""
    would_show: Words | None = None
    """What bias would have shown."""


class StatisticsView(Wire, frozen=True):
    """Statistics of the finished games that are counted; `counting`: how many are not yet."""

    games: int
    counting: int
    evenings: int
    since: str | None
    by_game: dict[str, int]
    feats: tuple[FeatView, ...]
    players: tuple[PlayerStatistics, ...]
    monsters: tuple[MonsterLine, ...]
    cards: tuple[CardLine, ...]
    dice: tuple[DiceStatistics, ...]
    places: tuple[PlaceLine, ...]


class ChanceView(Wire, frozen=True):
    """The win chances when a turn began, or when the game ended; by seat, 1 in all."""

    turn: int
    chances: tuple[float, ...]
    ended: bool = False


class TurningPoint(Wire, frozen=True):
    """The turn in which most of the chances changed hands. `faces`: its last roll."""

    turn: int
    faces: tuple[Face, ...]
    happened: tuple[NewsLine, ...]
    """What came of it, what matters most first."""


class BestMoment(Wire, frozen=True):
    """A seat's best turn of its own."""

    seat: int
    faces: tuple[Face, ...]
    words: Words


class OutView(Wire, frozen=True):
    """Who was eliminated, when, and by what."""

    seat: int
    turn: int
    words: Words
    why: tuple[Cause, ...] = ()


class LuckView(Wire, frozen=True):
    """How the dice of one seat fell, or those of the whole table (None)."""

    seat: int | None
    words: Words
    faces: dict[Face, int]


class StoryView(Wire, frozen=True):
    """The story of a game. `chance`: empty if no forecast could be made; `problem` says why."""

    turns: int
    minutes: int | None
    chance: tuple[ChanceView, ...]
    turning_point: TurningPoint | None
    best: tuple[BestMoment, ...]
    fallen: tuple[OutView, ...]
    """The last to go first."""
    luck: tuple[LuckView, ...]
    closest: Words | None
    problem: Words | None = None


class TimeTurn(Wire, frozen=True):
    """A turn: `row` is the last that belongs to it."""

    turn: int
    """0: the set-up."""
    seat: int
    row: int


class TimeLine(Wire, frozen=True):
    """Rows to stop at, oldest first."""

    turns: tuple[TimeTurn, ...]
    steps: tuple[int, ...]
    """The last row of each command."""


class BranchView(Wire, frozen=True):
    """A line that was left and is kept; it parts from the one that counts after row `fork`."""

    row: int
    fork: int
    line: TimeLine
    """What it alone has."""
    words: Words
    """Its first act, by name."""
    why: tuple[Cause, ...]
    at: str
    """When it was left, and by which player."""
    by: str


class TimeView(Wire, frozen=True):
    """The game as a line of moments to look at."""

    table: str
    rev: int
    """What was newest when this was made: playing on is a command for that revision."""
    line: TimeLine
    branches: tuple[BranchView, ...]
    """Newest first."""
    seats: tuple[SeatView, ...]


class TimeMoment(Wire, frozen=True):
    """The table as it was after a row, and what playing on from there takes."""

    row: int
    turn: int
    seat: int
    at: str
    seats: tuple[SeatView, ...]
    act: Words
    """What was done last, by name."""
    why: tuple[Cause, ...]
    happened: tuple[NewsLine, ...]
    """What came of the turn, what matters most first."""
    way: tuple[Undone | Redone, ...]
    """The events that go there, as one command; none: the table is there."""
    leaves: int
    """How many commands that leaves, which a branch then keeps."""
    turns: tuple[int, int] | None
    """The first and the last turn of those."""


class MendKind(StrEnum):
    """How a finding is mended."""

    GIVE = "give"
    """It only gives."""
    DO = "do"
    """It costs somebody, or moves a Monster."""
    NONE = "none"


class Finding(Wire, frozen=True):
    """One thing that differs from the rules, or a number set by hand that no rule explains."""

    id: str
    turn: int
    seat: int | None
    sign: str
    words: Words
    cause: Words | None = None
    clause: str | None = None
    mend: MendKind = MendKind.NONE
    fix: Corrected | None = None
    changes: tuple[Change, ...] = ()
    """What the mending changes now."""
    place: str | None = None
    """Where it puts the Monster."""


class ForgottenView(Wire, frozen=True):
    """The log compared with the rules; turns from `since` to `turns` were played again."""

    rev: int
    since: int
    turns: int
    findings: tuple[Finding, ...]
    by_hand: tuple[Finding, ...]
    """Set by hand, and nothing is to mend: no rule speaks for it or against it, or the rules have
    moved on since.
    """
    left: int
    """How many the table has left as they are."""
    cannot: Words | None = None


class Theirs(Wire, frozen=True):
    """A change that the sender had not seen."""

    seat: int | None
    """The seat of the phone that made it; None for the tray, and if nobody sits there."""
    words: Words
    change: Change
    ago_s: int
    """Seconds since, by the service's clock; 0 if that went back."""


class Conflict(Wire, frozen=True):
    """One number as two phones have it. Nothing of the sender's was applied."""

    seat: int
    what: Number
    knew: int
    """The number that the sender had seen."""
    knew_at: str
    """When that was up to date: ISO 8601 wall time, for reading only."""
    theirs: tuple[Theirs, ...]
    """What changed it since, oldest first; of many the newest."""
    mine: int
    """The number that the sender asked for, and what it would take off or add."""
    step: int
    same: int
    """The number if both meant one thing: what it is now."""
    both: int
    """The number if both count, within its limits."""
    most: int
    also: tuple[Words, ...] = ()
    """What else happened since; of many the newest."""

"""What is asked now, what may be answered, and which powers may be used."""

from __future__ import annotations

from enum import StrEnum

from companion.engine import Change, Face
from companion.service.wire.words import Wire, Words


class ByOther(Wire, frozen=True):
    """What an answer leads to if the other Monster that was hit answers like that."""

    other: int
    flees: bool
    mover: int | None = None
    """Who then enters the city; None: nobody."""
    place: str | None = None
    changes: tuple[Change, ...] = ()


class Also(Wire, frozen=True):
    """Another seat hit by the same attack, asked at the same time."""

    seat: int
    place: str | None
    health: int
    answer: Words | None = None
    """What it has answered; None: nothing yet."""


class Option(Wire, frozen=True):
    """One answer to the open question, with what it does as far as that is certain."""

    key: str
    """What `Chosen.option` must say."""
    label: Words
    enabled: bool = True
    reason: Words | None = None
    """Why it is not enabled (a full borough, a tile out of reach); None where it is."""
    place: str | None = None
    card: int | None = None
    tile: int | None = None
    face: Face | None = None
    consequence: tuple[Change, ...] = ()
    out: bool = False
    """The asked seat is out of the game by it."""
    notes: tuple[Words, ...] = ()
    by_other: tuple[ByOther, ...] = ()


class QuestionKind(StrEnum):
    """The closed set of question shapes."""

    CHOICE = "choice"
    ROLL = "roll"
    REVEAL_CARD = "reveal_card"
    REVEAL_TILE = "reveal_tile"


class Nameable(Wire, frozen=True):
    """A card or tile the table may name as revealed."""

    name: str
    left: int


class Outcome(Wire, frozen=True):
    """What `n` of the faces that a die can show lead to, of `of` equally likely ones."""

    n: int
    of: int
    faces: tuple[Face, ...]
    changes: tuple[Change, ...] = ()
    loses: tuple[str, ...] = ()
    """The cards that who has the die thrown discards then."""


class DieOdds(Wire, frozen=True):
    """What throwing one die again can bring, the likeliest first."""

    die: int
    """Its place in `Question.lying`."""
    face: Face
    outcomes: tuple[Outcome, ...]
    option: str = ""
    """What `Chosen.option` must say to have it thrown."""
    ref: str = ""
    """The power to use in the same command before that; empty where the question itself asks."""


class Fallen(Wire, frozen=True):
    """The building that has just fallen, and the Unit on its back."""

    tile: str
    unit: str


class Question(Wire, frozen=True):
    """The one question that is open, and who may answer it."""

    id: str
    """Changes when another question is asked."""
    kind: QuestionKind
    key: str
    prompt: Words
    window: str
    seat: int | None
    """Whose answer; None: the table's (dice, cards and tiles come from the table)."""
    may_answer: tuple[int, ...]
    options: tuple[Option, ...] = ()
    dice: int = 0
    rethrow: tuple[int, ...] = ()
    """Roll only: which dice may be rethrown."""
    showing: tuple[Face, ...] = ()
    """Roll only: the dice as they lie after the throws that were reported before."""
    counted: bool = False
    """Roll only: every throw must be sent (`final` false): something in play has a price on it."""
    owed: int = 0
    """Roll only: so many throws must still be made; `final` may be true at the last of them."""
    main: bool = False
    """Roll only: the turn's own roll, not one that a card asks for."""
    prices: tuple[int, ...] = ()
    """Roll only: what throwing each die of `showing` alone again costs, in energy."""
    left: int = 0
    """Roll only: rolls left in this turn, this one among them."""
    more: bool = False
    """Roll only: another throw may follow this one (`final` false)."""
    nameable: tuple[Nameable, ...] = ()
    place: str | None = None
    skippable: bool = False
    lying: tuple[Face, ...] = ()
    """The final dice, while a power may still change them."""
    as_it_lies: tuple[Change, ...] = ()
    """What those dice lead to."""
    odds: tuple[DieOdds, ...] = ()
    """What a power that throws one of them again can bring, for each die."""
    fallen: Fallen | None = None
    """Reveal of a building only: what fell from this stack; None where nothing did."""
    stack: int = 0
    """Reveal of a building only: the number of this stack in its borough, from 1."""
    stacks: int = 0
    """Reveal of a building only: how many stacks the borough has."""
    clause: str | None = None
    also: tuple[Also, ...] = ()
    """Who else is asked about the same attack."""
    early: bool = False
    """Asked before its turn: answered by `AnsweredEarly`."""


class Offer(Wire, frozen=True):
    """A power its owner may use now."""

    ref: str
    """What `PowerUsed.ref` must say."""
    seat: int
    label: Words
    card: str | None = None
    consequence: tuple[Change, ...] = ()

"""One position as a phone shows it: seats, places, cards for sale, what came of the last events."""

from __future__ import annotations

from companion.engine import Ahead, Change, Face, Number
from companion.service.wire.log import Happened
from companion.service.wire.questions import Nameable, Offer, Question
from companion.service.wire.words import Cause, Wire, Words


class TokenCount(Wire, frozen=True):
    """Tokens of one kind."""

    kind: str
    count: int


class CardView(Wire, frozen=True):
    """A card in front of a Monster."""

    id: int
    name: str
    kind: str
    automatic: bool
    """False: the engine cannot carry it out yet; the page says "do what the card says"."""
    counters: int = 0
    copies: str | None = None


class NumberView(Wire, frozen=True):
    """A number of a Monster; `most`: the limit that players know, None for none."""

    what: Number
    value: int
    most: int | None = None


class SeatView(Wire, frozen=True):
    """The public view of one seat."""

    seat: int
    player: str
    monster: str
    """Art id, one of the twelve."""
    health: int
    health_max: int
    stars: int
    stars_goal: int
    energy: int
    numbers: tuple[NumberView, ...]
    """Those that Monsters of this game have, in the order to show them."""
    place: str | None
    area: str | None
    alive: bool
    died_turn: int | None = None
    tokens: tuple[TokenCount, ...] = ()
    trophies: tuple[TokenCount, ...] = ()
    """Units destroyed and kept, by kind; they do nothing."""
    goals: tuple[str, ...] = ()
    cards: tuple[CardView, ...] = ()
    phones: int = 0
    """Browsers connected for this seat."""
    ahead: Ahead | None = None
    """What it set ahead for when it is hit in the city."""


class UnitView(Wire, frozen=True):
    """A Unit tile in a borough."""

    id: int
    kind: str
    durability: int
    reward: TokenCount
    new: bool
    """Appeared this turn: cannot be destroyed yet (NY-10.5)."""


class StackView(Wire, frozen=True):
    """A stack of building tiles; `tile` is None while nobody has named its top."""

    id: int
    tile: str | None
    left: int
    durability: int | None = None
    reward: TokenCount | None = None


class PlaceView(Wire, frozen=True):
    """Where Monsters stand. `area` groups places of one borough."""

    id: str
    area: str
    inside: bool
    room: int
    monsters: tuple[int, ...] = ()


class AreaView(Wire, frozen=True):
    """A borough with its tiles, or Tokyo, or what is outside of it."""

    id: str
    inside: bool
    places: tuple[str, ...]
    stacks: tuple[StackView, ...] = ()
    units: tuple[UnitView, ...] = ()


class ShopCard(Wire, frozen=True):
    """A slot of the three face-up cards; `card` None: not named yet."""

    card: int | None
    name: str | None = None
    kind: str | None = None
    district: str | None = None
    cost: int = 0
    base_cost: int = 0
    affordable: bool = False
    short: int = 0
    forbidden: Words | None = None
    automatic: bool = True
    option: str | None = None
    """What `Chosen.option` must say to buy it, while buying is open."""
    consequence: tuple[Change, ...] = ()


class Shop(Wire, frozen=True):
    """The three cards for sale."""

    cards: tuple[ShopCard, ...] = ()
    sweep_cost: int = 2
    sweep: str | None = None
    """The option that sweeps, while it can be paid."""
    end: str | None = None
    """The option that ends buying."""


class Hand(Wire, frozen=True):
    """A task with the box: what to move, turn or take now, all that happened taken together."""

    id: str
    sign: str
    words: Words
    seat: int | None = None
    note: Words | None = None
    """What the dial showed before, or what the Monster has now."""
    why: tuple[Cause, ...] = ()
    """What led to it, in short clauses."""


class Reminder(Wire, frozen=True):
    """A reminder of something that the table would forget."""

    id: str
    sign: str
    words: Words
    clause: str | None = None
    seat: int | None = None
    numbers: tuple[Number, ...] = ()
    """The numbers that are wrong where it was forgotten; none: it never goes quiet."""


class Ended(Wire, frozen=True):
    """How the game ended. No winner: all died (NY-17.4, TK-14.3)."""

    reason: str
    winners: tuple[int, ...]
    last: int | None = None
    """Who came last, and may start the next game; None where several did."""


class GameView(Wire, frozen=True):
    """One position, as a phone shows it. The page keys on its data, never on the game's name."""

    game: str
    edition: str
    house: tuple[str, ...]
    """House rules switched on."""
    turn: int
    active: int
    phase: str
    faces: tuple[Face, ...]
    """In the order of the keys, two rows of three."""
    rolls: int
    seats: tuple[SeatView, ...]
    areas: tuple[AreaView, ...]
    places: tuple[PlaceView, ...]
    shop: Shop
    question: Question | None
    early: Question | None
    """The question of a second seat, which may answer before its turn; None where there is none or
    it has answered."""
    offers: tuple[Offer, ...]
    hands: tuple[Hand, ...]
    reminders: tuple[Reminder, ...]
    last_roll: tuple[Face, ...] = ()
    last_roll_seat: int | None = None
    unseen: tuple[Nameable, ...] = ()
    """The buildings that an unknown top of a stack can be; empty where every top is known."""
    order: tuple[Face, ...] = ()
    """The order in which groups are resolved unless the active Monster says otherwise."""
    ended: Ended | None = None
    happened: tuple[Happened, ...] = ()
    """What came of the commands since the last roll, at most eight: the newest command first, and
    of one command what matters most."""

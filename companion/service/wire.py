"""The view that goes to every phone, as frozen values; requests are in `exchange.py`.

`webui/src/wire.ts` is generated from here (`tools/wire_types.py`), so a name is written once.
Words are keys and numbers; sentences live in `webui/locales`. The phone computes nothing.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from companion.engine.ahead import Ahead
from companion.engine.changes import Change, PreviewRow
from companion.engine.values import Face
from companion.vision.states import CameraState, TrayState

Args = dict[str, str | int]


class Wire(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A value on the wire."""


class Role(StrEnum):
    """What a browser may do (engineering.md 5C)."""

    HOST = "host"
    PLAYER = "player"
    SPECTATOR = "spectator"
    STRANGER = "stranger"
    """Has not joined yet: sees nothing but the page."""


class Words(Wire, frozen=True):
    """One sentence: a catalogue key and what fills its gaps."""

    key: str
    args: Args = {}


class You(Wire, frozen=True):
    """Who the asking browser is."""

    role: Role
    seat: int | None = None
    id: str = ""
    """Which of `People.persons` it is."""
    before: int | None = None
    """The seat that it had until another phone took it."""
    asks: int | None = None
    """The seat that it asks for; its holder or the host answers."""
    kept: int | None = None
    """The seat that it asked for in vain."""


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
    notes: tuple[Words, ...] = ()


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


class Question(Wire, frozen=True):
    """What is asked now, of whom. One at a time."""

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
    """Roll only: the dice as they lie, where an earlier throw was told."""
    counted: bool = False
    """Roll only: every throw is told (`final` false), since something in play has a price on it."""
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
    clause: str | None = None


class Offer(Wire, frozen=True):
    """A power its owner may use now."""

    ref: str
    """What `PowerUsed.ref` must say."""
    seat: int
    label: Words
    card: str | None = None
    consequence: tuple[Change, ...] = ()


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
    """What hands must do on the table now."""

    id: str
    sign: str
    words: Words
    seat: int | None = None


class Happened(Wire, frozen=True):
    """An outcome of the newest acts, in one sentence."""

    sign: str
    words: Words
    act: int
    """The first row of the act it came of; those of one act came at once."""


class Reminder(Wire, frozen=True):
    """Something the table would forget."""

    id: str
    sign: str
    words: Words
    clause: str | None = None
    seat: int | None = None


class Ended(Wire, frozen=True):
    """How the game ended. No winner: all died (NY-17.4, TK-14.3)."""

    reason: str
    winners: tuple[int, ...]


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
    dice_expected: int
    """How many dice the next roll has; 0: no roll is awaited."""
    rolls: int
    seats: tuple[SeatView, ...]
    areas: tuple[AreaView, ...]
    places: tuple[PlaceView, ...]
    shop: Shop
    question: Question | None
    offers: tuple[Offer, ...]
    hands: tuple[Hand, ...]
    reminders: tuple[Reminder, ...]
    last_roll: tuple[Face, ...] = ()
    last_roll_seat: int | None = None
    order: tuple[Face, ...] = ()
    """The order in which groups are resolved unless the active Monster says otherwise."""
    ended: Ended | None = None
    happened: tuple[Happened, ...] = ()
    """What came of the acts since the last roll, newest first, at most six."""


class Alternative(Wire, frozen=True):
    """Another face a die may show, and how likely the reader holds it."""

    face: Face
    probability: float


class ProposedDie(Wire, frozen=True):
    """One die as read."""

    face: Face | None
    confidence: float
    sure: bool
    colour: str
    flat: bool
    box: tuple[int, int, int, int]
    """x, y, width, height in pixels of the tray picture."""
    alternatives: tuple[Alternative, ...] = ()
    problem: str | None = None
    crop: str = ""
    """Address of its picture."""


class Proposal(Wire, frozen=True):
    """A settled reading. Never an event: a tap applies it."""

    id: str
    dice: tuple[ProposedDie, ...]
    expected: int
    sure: bool
    problems: tuple[str, ...]
    roll: int
    """Which rest of this turn, counted from 1: a hint, never a limit."""
    picture: str
    picture_size: tuple[int, int]
    source: str
    """`camera` or `photo`."""
    rows: tuple[PreviewRow, ...] = ()
    """What Apply would do with the faces as read; empty where a face is missing."""
    merges: bool = False
    """Apply would also end the turn."""
    entering: tuple[Change, ...] = ()
    """What taking the city would bring."""
    outcomes: tuple[Words, ...] = ()
    """Who falls by it, and who wins."""


class Tray(Wire, frozen=True):
    """The camera and what it sees."""

    camera: CameraState
    state: TrayState
    problem: Words | None = None
    roll: int = 0
    since_s: float = 0.0
    """Seconds since the camera was last heard of, where it is lost."""
    proposal: Proposal | None = None


class LogRow(Wire, frozen=True):
    """One line of the log."""

    seq: int
    turn: int
    active: int
    """Whose turn it was."""
    seat: int | None
    sign: str
    words: Words
    changes: tuple[Change, ...]
    at: str
    """ISO 8601 wall time, for reading only; order is `seq`."""
    by: str
    undone: bool = False
    corrected: bool = False
    ahead: bool = False
    """The seat had set this answer ahead."""


class Undoable(Wire, frozen=True):
    """What undo or redo would do next, by name."""

    seq: int
    words: Words
    seat: int | None = None
    host_only: bool = False
    """The start of the game: taken back, the table is set again."""


class SeatDraft(Wire, frozen=True):
    """A seat before the game starts."""

    player: str
    monster: str
    taken: bool = False
    phones: int = 0


class Box(Wire, frozen=True):
    """A game one can start."""

    game: str
    editions: tuple[str, ...]
    house: tuple[str, ...]
    """House rules that may be switched on."""
    faces: tuple[Face, ...]
    players_min: int
    players_max: int
    start_places: tuple[str, ...]
    first_roll_dice: int


class Lobby(Wire, frozen=True):
    """The table before a game: what can be played, who sits where."""

    boxes: tuple[Box, ...]
    game: str
    edition: str
    house: tuple[str, ...]
    seats: tuple[SeatDraft, ...]
    monsters: tuple[str, ...]


class Join(Wire, frozen=True):
    """How another phone joins; everybody who has joined sees it, a television too."""

    url: str
    code: str
    address: str
    addresses: tuple[str, ...]
    """All by which phones may reach the service, `address` first."""
    open: bool = True
    """False: nobody new is let in, by neither code nor QR code."""


class LogNotice(Wire, frozen=True):
    """Something that happened to the log; it stands until the host has seen it."""

    id: str
    words: Words


class Phone(StrEnum):
    """How a browser is heard."""

    LIVE = "live"
    """Its stream is open."""
    SILENT = "silent"
    """It has no stream, but had one a short while ago."""
    LOST = "lost"
    """It was silent for so long that its seat is free for whoever takes it."""


class Person(Wire, frozen=True):
    """One browser that has joined."""

    id: str
    role: Role
    seat: int | None
    phone: Phone
    silent_min: int = 0
    """Whole minutes of silence."""


class Claim(Wire, frozen=True):
    """A browser asks for a seat that another holds."""

    by: str
    """`Person.id` of who asks."""
    seat: int


class People(Wire, frozen=True):
    """Who is here, oldest first."""

    persons: tuple[Person, ...] = ()
    claims: tuple[Claim, ...] = ()
    """Oldest first, one a browser."""
    host: str | None = None
    """`Person.id` of the host; None: there is none."""
    host_lost: bool = False
    """A seated phone may replace the host."""


class View(Wire, frozen=True):
    """The whole truth for a phone; whole views are pushed, never patches."""

    rev: int
    """Sequence number of the log: what `base_rev` must repeat."""
    table: str
    saved: bool
    """False: the disk refuses; play goes on in memory."""
    notices: tuple[LogNotice, ...]
    """What happened to the log and the host has not seen yet, in the lobby as in a game."""
    lobby: Lobby | None
    game: GameView | None
    tray: Tray
    log: tuple[LogRow, ...]
    undo: Undoable | None
    redo: Undoable | None
    join: Join | None
    people: People
    now: str


class Update(Wire, frozen=True):
    """One message of the stream: `you` differs by browser, `view` is the same for all."""

    you: You
    view: View


class StreamEvent(StrEnum):
    """Named events of `/api/stream`, each the last of its stream; an Update has no name."""

    FULL = "full"
    """Too many streams: the browser tries again by itself after 15 s."""
    STRANGER = "stranger"
    """This browser has not joined, or no longer counts: close, and show the way in."""
    REPLACED = "replaced"
    """Another tab of this browser listens now: close, do not come back by yourself."""

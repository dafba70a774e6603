"""The messages of the stream, as frozen values: what every phone and television shows.

`webui/src/wire.ts` is generated from here (`tools/wire_types.py`), so a name is written once.
Words are keys and numbers; sentences live in `webui/locales`. The phone computes nothing.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from companion.engine import Ahead, Change, Face, Number, PreviewRow
from companion.vision.readings import Alternative, CameraState, Drift, TrayState

Args = dict[str, str | int]
"""Parameters of a sentence."""


class Wire(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base class of the values that phones and service exchange as JSON."""


class Words(Wire, frozen=True):
    """One sentence: a catalogue key and the values of its parameters."""

    key: str
    args: Args = {}


class Cause(Wire, frozen=True):
    """A short clause after a sentence: what led to it, or what it brought.

    `change`: its share of the sentence's number, with its sign if it needs one; "" for none.
    """

    words: Words
    change: str = ""


class NewsLine(Wire, frozen=True):
    """Something that came of an event, in one sentence."""

    sign: str
    words: Words
    why: tuple[Cause, ...] = ()
    """What led to it, or what it brought, in short clauses."""
    changes: tuple[Change, ...] = ()
    hurt: tuple[int, ...] = ()
    """The seats that lost health, or the game."""
    act: int = 0
    """The first row of the command it came of; what came of one command came at once."""
    step: int = 0
    """Its place among what came of that command, in the order in which it happened."""
    turn: int = 0
    active: int = 0
    """Whose turn it was, which may have begun in the same event."""


class LogRow(Wire, frozen=True):
    """One line of the log: what somebody did, and what came of it."""

    seq: int
    turn: int
    active: int
    seat: int | None
    sign: str
    words: Words
    changes: tuple[Change, ...]
    at: str
    """ISO 8601 wall time, for reading only; order is `seq`."""
    by: str
    undone: bool = False
    corrected: bool = False
    why: tuple[Cause, ...] = ()
    happened: tuple[NewsLine, ...] = ()
    """What else came of it, oldest first."""
    quiet: bool = False
    """Nobody chose it for itself: it came with another answer of the same command."""
    joins: bool = False
    """It continues the row before it: the same person turned the same dial on."""
    ahead: bool = False
    """The seat had set this answer ahead."""
    tray: bool = False
    """The dice tray sent it, without a tap."""


class Undoable(Wire, frozen=True):
    """What undo or redo would do next, by name."""

    seq: int
    words: Words
    why: tuple[Cause, ...] = ()
    more: int = 0
    """How many further commands come back with it."""
    host_only: bool = False
    """The start of the game: taken back, the table is set again."""


class LogNotice(Wire, frozen=True):
    """Something that happened to the log; shown until the host has seen it."""

    id: str
    words: Words


class IfOtherAnswers(Wire, frozen=True):
    """What an answer leads to if the other Monster that was hit answers like that."""

    other: int
    flees: bool
    mover: int | None = None
    place: str | None = None
    changes: tuple[Change, ...] = ()


class OtherTarget(Wire, frozen=True):
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
    """Why it is not enabled (a full borough, a tile out of reach); None if it is."""
    place: str | None = None
    card: int | None = None
    tile: int | None = None
    face: Face | None = None
    consequence: tuple[Change, ...] = ()
    out: bool = False
    """It eliminates the asked seat."""
    notes: tuple[Words, ...] = ()
    by_other: tuple[IfOtherAnswers, ...] = ()


class QuestionKind(StrEnum):
    """The closed set of question shapes."""

    CHOICE = "choice"
    ROLL = "roll"
    REVEAL_CARD = "reveal_card"
    REVEAL_TILE = "reveal_tile"


class Nameable(Wire, frozen=True):
    """A card or tile the table may name as revealed; `cost`: printed on the card, in energy."""

    name: str
    left: int
    cost: int = 0


class DieOutcome(Wire, frozen=True):
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
    outcomes: tuple[DieOutcome, ...]
    option: str = ""
    """What `Chosen.option` must say to have it thrown."""
    ref: str = ""
    """The power to use in the same command before that; empty if the question itself asks."""


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
    """Reveal of a building only: what fell from this stack; None if nothing did."""
    stack: int = 0
    """Reveal of a building only: the number of this stack in its borough, from 1."""
    stacks: int = 0
    """Reveal of a building only: how many stacks the borough has."""
    clause: str | None = None
    also: tuple[OtherTarget, ...] = ()
    early: bool = False
    """Asked before its turn: answered by `AnsweredEarly`."""
    secret: bool = False
    """Its seat alone reads it: on another phone, after a tap."""


class Offer(Wire, frozen=True):
    """A power its owner may use now."""

    ref: str
    """What `PowerUsed.ref` must say."""
    seat: int
    label: Words
    consequence: tuple[Change, ...] = ()


class TokenCount(Wire, frozen=True):
    """Tokens of one kind."""

    kind: str
    count: int


class CardView(Wire, frozen=True):
    """A card in front of a Monster."""

    id: int
    name: str
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
    called: str = ""
    """The Monster's name as on the players' box; empty: that of the picture."""


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


class Hand(Wire, frozen=True):
    """A task with the box: what to move, turn or take now, all that happened taken together."""

    id: str
    sign: str
    words: Words
    seat: int | None = None
    note: Words | None = None
    """What the dial showed before, or what the Monster has now."""
    why: tuple[Cause, ...] = ()


class Reminder(Wire, frozen=True):
    """A reminder of something that the table would forget."""

    id: str
    sign: str
    words: Words
    clause: str | None = None
    seat: int | None = None
    numbers: tuple[Number, ...] = ()
    """The numbers that are wrong if it was forgotten; none: it never goes quiet."""


class GameEnd(Wire, frozen=True):
    """How the game ended. No winner: all died (NY-17.4, TK-14.3)."""

    reason: str
    winners: tuple[int, ...]
    last: int | None = None
    """Who came last, and may start the next game; None if several did."""


class GameView(Wire, frozen=True):
    """One position, as a phone shows it. The page keys on its data, never on the game's name."""

    game: str
    edition: str
    house: tuple[str, ...]
    turn: int
    active: int
    phase: str
    faces: tuple[Face, ...]
    """In the order of the keys, two rows of three."""
    seats: tuple[SeatView, ...]
    areas: tuple[AreaView, ...]
    places: tuple[PlaceView, ...]
    shop: Shop
    question: Question | None
    early: Question | None
    """The question of a second seat, which may answer before its turn; None if there is none or
    it has answered."""
    offers: tuple[Offer, ...]
    hands: tuple[Hand, ...]
    reminders: tuple[Reminder, ...]
    last_roll: tuple[Face, ...] = ()
    last_roll_seat: int | None = None
    order: tuple[Face, ...] = ()
    """The order in which groups are resolved unless the active Monster says otherwise."""
    ended: GameEnd | None = None
    happened: tuple[NewsLine, ...] = ()
    """What came of the commands since the last roll, at most eight: the newest command first, and
    of one command what matters most."""


class SeatDraft(Wire, frozen=True):
    """A seat before the game starts."""

    player: str
    monster: str
    taken: bool = False
    phones: int = 0
    called: str = ""
    """As in `SeatView`."""


class Product(Wire, frozen=True):
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

    boxes: tuple[Product, ...]
    game: str
    edition: str
    house: tuple[str, ...]
    seats: tuple[SeatDraft, ...]
    monsters: tuple[str, ...]


class Role(StrEnum):
    """What a browser may do: each may do all that those below it may."""

    HOST = "host"
    PLAYER = "player"
    SPECTATOR = "spectator"
    STRANGER = "stranger"
    """Has not joined yet: sees nothing but the page."""


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
    """The seat that it was refused."""
    question: Question | None = None
    """The open question as its seat alone may read it; None: the view has all of it."""
    ahead: Ahead | None = None
    """What its seat set ahead for when it is hit in the city."""


class Phone(StrEnum):
    """The state of a browser's connection."""

    LIVE = "live"
    """Its stream is open."""
    SILENT = "silent"
    """It has no stream, but had one a short while ago."""
    LOST = "lost"
    """It was silent for so long that anybody may take its seat."""


class Person(Wire, frozen=True):
    """One browser that has joined."""

    id: str
    role: Role
    seat: int | None
    phone: Phone
    silent_min: int = 0


class Claim(Wire, frozen=True):
    """A browser's request for a seat that another holds."""

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


class WifiShown(StrEnum):
    """Who is shown the QR code of the table's Wi-Fi."""

    NOBODY = "nobody"
    """The service knows of none."""
    HOST = "host"
    ALL = "all"


class Join(Wire, frozen=True):
    """How another phone joins; everybody who has joined sees it, a television too."""

    url: str
    code: str
    address: str
    addresses: tuple[str, ...]
    """All by which phones may reach the service, `address` first."""
    open: bool = True
    """False: nobody new is let in, by neither code nor QR code."""
    late: int = 0
    """Phones that got the page a while ago and have no stream: something keeps them from it."""
    table: str = ""
    """The table's name for people, if it is one of several on its machine; else empty."""
    wifi: WifiShown = WifiShown.NOBODY


class OrderReason(Wire, frozen=True):
    """Why groups are resolved in this order: the numbers at the end, and with the other order."""

    first: Face | None = None
    then: Face | None = None
    """The two neighbours that would change places; none: all of the order that was asked for,
    beside the suggested one."""
    changes: tuple[Change, ...] = ()
    instead: tuple[Change, ...] = ()


class PreviewAnswer(Wire, frozen=True):
    """What the dice would do, with rows in the order of resolution."""

    rows: tuple[PreviewRow, ...] = ()
    order: tuple[Face, ...] = ()
    merges: bool = False
    """Apply would also end the turn."""
    changes: tuple[Change, ...] = ()
    """What the throw itself does: its price, or all of it if it is not the turn's own roll."""
    lacking: int = 0
    """Energy that is missing for the throw; 0: it can be paid."""
    entering: tuple[Change, ...] = ()
    """What taking the city brings, if the dice lead into it."""
    outcomes: tuple[Words, ...] = ()
    """Who falls by it, and who wins."""
    ends: tuple[str, ...] = ()
    """The answers with which the active Monster can end its turn in the same command; empty if
    something is asked before."""
    reasons: tuple[OrderReason, ...] = ()
    """If `why` was asked: what of the order matters, as far as is certain; empty if any order
    comes to the same."""


class ProposedDie(Wire, frozen=True):
    """One die as read."""

    face: Face | None
    confidence: float
    sure: bool
    flat: bool
    colour: str
    box: tuple[int, int, int, int]
    """x, y, width, height in pixels of the tray picture."""
    alternatives: tuple[Alternative, ...] = ()
    crop: str = ""
    """Address of its picture."""


class Proposal(Wire, frozen=True):
    """A settled reading. Never an event: a tap applies it, or a fuse if the table wants one."""

    id: str
    dice: tuple[ProposedDie, ...]
    problems: tuple[str, ...]
    roll: int
    """The number of this rest of the dice in the turn, from 1: a hint, never a limit."""
    photo: bool
    """Whether they were read from a photo: how the tray looks now says nothing about them."""
    picture: str
    picture_size: tuple[int, int]
    preview: PreviewAnswer = PreviewAnswer()
    """What Apply would do with the faces as read; empty if a face is missing."""


class FuseKind(StrEnum):
    """What a fuse does when its countdown ends."""

    APPLY = "apply"
    END = "end"
    """It ends the turn, since the tray was cleared."""


class Fuse(Wire, frozen=True):
    """What happens without a tap in a moment, unless somebody touches a phone."""

    id: str
    kind: FuseKind
    seat: int
    seconds: float
    left_s: float
    """How much of it is left when the view was made."""


class PhoneFree(Wire, frozen=True):
    """What the table has switched on to happen without a tap."""

    fuse: bool = False
    """A sure reading of the last roll applies itself."""
    tray_ends: bool = False
    """Clearing the tray ends the turn."""


class Tray(Wire, frozen=True):
    """The camera and what it sees."""

    camera: CameraState
    state: TrayState
    problem: Words | None = None
    roll: int = 0
    since_s: float = 0.0
    """Seconds since the last sign of the camera, if it is lost."""
    proposal: Proposal | None = None
    box: str | None = None
    """The name of the box in use; None: any dice are read."""
    drift: Drift | None = None
    """What has changed since the camera was set up."""
    known: int | None = None
    """How many faces of strange dice play has taught; None for dice that are read."""
    phone_free: PhoneFree = PhoneFree()
    fuse: Fuse | None = None
    demo: bool = False
    """Whether the dice are demo dice, which `/api/demo/throw` throws."""
    found: str = ""
    """The name of a camera that was plugged in while the table has none that works; else empty."""
    misread: str = ""
    """The proposal of the last roll that was applied with other faces than were read, while a
    report of it can be made; else empty."""


class View(Wire, frozen=True):
    """Everything that a phone shows; phones get whole views, never patches."""

    rev: int
    """Sequence number of the log: what `base_rev` must repeat."""
    table: str
    saved: bool
    """False: the disk refuses rows, or who has joined; play goes on in memory."""
    notices: tuple[LogNotice, ...]
    """What happened to the log and the host has not seen yet, in the lobby as in a game."""
    lobby: Lobby | None
    game: GameView | None
    tray: Tray
    log: tuple[LogRow, ...]
    undo: Undoable | None
    redo: Undoable | None
    join: Join | None
    people: People | None
    """null in a stream: as in its update before."""


class Update(Wire, frozen=True):
    """One message of the stream: who the browser is, and what it sees."""

    run: str
    number: int
    """The order of views in one run: a phone shows none after one of a higher number."""
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


class ViewerKind(StrEnum):
    """The kinds of viewers, each with a token of its own."""

    TV = "tv"
    OVERLAY = "overlay"
    """Whoever watches the video sees it, so it never holds a way in."""


class ViewerView(Wire, frozen=True):
    """The public part of a view, in the order of views: the whole table, nothing to answer."""

    run: str
    number: int
    language: str | None
    """The language that the host chose for all viewers; None: the screen's own."""
    saved: bool
    lobby: Lobby | None
    game: GameView | None
    tray: Tray
    join: Join | None
    """How phones join; None for an overlay."""
    host: int | None
    """The seat of the host; None: no host, or one without a seat."""

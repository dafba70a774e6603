"""The JSON forms of requests and answers, by route, how a form is decoded, and how a request is
refused; the parts of a view are in `wire`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from companion.engine import AnyEvent, DieNumbers, Face, FaceOrder, Faces, Key, RowNumber, SeatIndex
from companion.records import PlayerName
from companion.resources import LANGUAGES
from companion.service.wire import GameView, LogRow, Update, ViewerKind, Wire, Words
from companion.service.wire_pages import Conflict
from companion.table import AnyTableEvent, RefusedError
from companion.vision.box import Name

T = TypeVar("T")

FIELD = re.compile(r" - at `(?:key` in `)?\$(?P<path>[^`]*)`$")
MISSING = re.compile(r"Object missing required field `(?P<name>\w+)`")
LENGTH = re.compile(r"of length <= (?P<most>\d+)")
NUMBER = re.compile(r"Expected `(?:int|float)` [<>]|Number out of range")
ANSWER_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; font-src 'self'; media-src 'self' blob: data:; "
        "style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer."""
STATUS_KEYS = {
    403: "error.not_from_here",
    404: "error.not_found",
    405: "error.wrong_method",
    413: "error.too_long",
    414: "error.too_long",
    415: "error.wrong_form",
    421: "error.not_from_here",
    429: "error.too_many_requests",
    500: "error.internal",
}


class Command(Wire, frozen=True):
    """Events that apply or fail as one transaction."""

    command_id: Annotated[str, Meta(min_length=8, max_length=64)]
    base_rev: RowNumber
    events: Annotated[tuple[AnyEvent | AnyTableEvent, ...], Meta(min_length=1, max_length=20)]
    proposal_id: Key | None = None
    table: Key | None = None
    """`View.table` that it was made for; None: whichever is played."""


class Nothing(Wire, frozen=True):
    """The empty body of a request that needs no more than its route."""


class ErrorAnswer(Wire, frozen=True):
    """The reason of a refusal; with 409 also the newest update, and a conflict."""

    error: Words
    update: Update | None = None
    conflict: Conflict | None = None


class Done(Wire, frozen=True):
    """The revision after a command, also if it had been applied before (same `command_id`)."""

    rev: int


class HealthAnswer(Wire, frozen=True):
    """That the service answers, for whoever watches it."""

    version: str
    saved: bool
    """Whether the disk has every row."""
    safe: bool
    table: str = ""
    """The table's name for people, if it is one of several on its machine; else empty."""


class PreviewRequest(Wire, frozen=True):
    """Dice to preview; if they are fewer than the roll has, the dice so far."""

    faces: Faces
    order: FaceOrder = ()
    rethrown: DieNumbers = ()
    """Which dice of `Question.showing` were, or would be, thrown again for it."""
    why: bool = False


class OddsColumnView(Wire, frozen=True):
    """A column of the odds. `mean`: the values are dice, not chances."""

    face: Face
    words: Words
    mean: bool


class KeepView(Wire, frozen=True):
    """Dice that stay (their places in the roll and their faces), with a value for each column."""

    dice: tuple[int, ...]
    faces: tuple[Face, ...]
    values: tuple[float, ...]


class KeepsAnswer(Wire, frozen=True):
    """Sensible ways to keep dice, three at most; none if no die may be thrown again."""

    rolls: int
    columns: tuple[OddsColumnView, ...]
    keeps: tuple[KeepView, ...]


class CoachLine(Wire, frozen=True):
    """One answer, and the seat's chance to win the game with it."""

    chance: float
    words: Words
    faces: tuple[Face, ...] = ()
    """The dice that stay, if it is a way to keep dice."""


class CoachAnswer(Wire, frozen=True):
    """What the answers of the open decision leave a seat, best first; none if none is open."""

    lines: tuple[CoachLine, ...]
    now: float
    compares: Words
    measured: Words
    left_out: int = 0


Secret = Annotated[str, Meta(max_length=64)]
PersonId = Annotated[str, Meta(max_length=64)]


class JoinRequest(Wire, frozen=True):
    """The token of the QR code or terminal, or the six characters beside it; for a television or an
    overlay, the token in its address.
    """

    token: Secret | None = None
    code: Secret | None = None


Pair = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z", max_length=32)]


class PairRequest(Wire, frozen=True):
    """What a television made up and shows in its QR code until the host lets it in."""

    pair: Pair


class PairAnswer(Wire, frozen=True):
    """Whether the host has let it in; then its cookie comes along."""

    let_in: bool


class ViewersRequest(Wire, frozen=True):
    """Let a television in, make new tokens for one kind of viewers, or choose the language."""

    let_in: Pair | None = None
    renew: ViewerKind | None = None
    language: Annotated[str, Meta(max_length=2, pattern=f"^({'|'.join(LANGUAGES)})$")] | None = None


class ViewersAnswer(Wire, frozen=True):
    """How televisions and overlays see the table; for the host alone."""

    address: str
    """What is typed on a television."""
    tv: str
    """The address that lets in by itself: for a computer that is the television."""
    overlay: str
    language: str | None
    watching: int


class SeatRequest(Wire, frozen=True):
    """Take this seat; with `take_over` also if somebody holds it, or else ask for it."""

    seat: SeatIndex
    take_over: bool = False


class ClaimRequest(Wire, frozen=True):
    """The answer of the seat's holder, or of the host, to the browser that asks for it."""

    by: PersonId
    seat: SeatIndex
    give: bool


class HostRequest(Wire, frozen=True):
    """Make this browser host; without `to`: the sender, if the host is lost."""

    to: PersonId | None = None


class SignOutRequest(Wire, frozen=True):
    """Remove this browser, or (without `who`) all but the sender."""

    who: PersonId | None = None


class CodeRequest(Wire, frozen=True):
    """Replace code and QR code; if not `open`, the new ones let nobody in."""

    open: bool = True


class FuseRequest(Wire, frozen=True):
    """Put out the fuse of this `id`."""

    id: Key


class AddressRequest(Wire, frozen=True):
    """The address for the QR code, one of `Join.addresses`."""

    address: Annotated[str, Meta(max_length=300)]


class DriftAct(StrEnum):
    """What the host does about a drift of the camera."""

    ACCEPT = "accept"
    """Go on with everything as it is."""
    ADJUST = "adjust"
    """Let the camera adjust itself to the light, and hold that."""


class DriftRequest(Wire, frozen=True):
    """Answer what the camera has noticed between rolls."""

    act: DriftAct


class DemoRequest(Wire, frozen=True):
    """Put demo dice into the tray, or read the camera of before again."""

    on: bool


class DemoThrowRequest(Wire, frozen=True):
    """Throw demo dice: all, or all but those of a proposal to keep, by their places in it."""

    proposal: Key | None = None
    keep: DieNumbers = ()


class WifiRequest(Wire, frozen=True):
    """Who is shown the code of the table's Wi-Fi beside the host."""

    to_all: bool


class SeenRequest(Wire, frozen=True):
    """The notice that the host has seen."""

    notice: Annotated[str, Meta(max_length=200)]


class SetupAct(StrEnum):
    """The steps of the set-up of camera and dice."""

    BEGIN = "begin"
    PLACE = "place"
    CORNERS = "corners"
    """The tray is within `corners`; without them, as the camera finds it."""
    SHOW = "show"
    """Show `face`; without one, the first that lacks views."""
    SKIP = "skip"
    UNDO = "undo"
    TEST = "test"
    USE = "use"
    """Keep the prints as a box called `name`, and read with it."""
    END = "end"


Share = Annotated[float, Meta(ge=0, le=1)]
"""A share of the picture's width or height."""
Corner = tuple[Share, Share]


class SetupRequest(Wire, frozen=True):
    """A step of the set-up, with what it needs."""

    act: SetupAct
    face: Face | None = None
    corners: tuple[Corner, Corner, Corner, Corner] | None = None
    """Clockwise from the upper left."""
    name: Name | None = None


class BoxAct(StrEnum):
    """What can be done with a box that is kept."""

    CHOOSE = "choose"
    PUT_AWAY = "put_away"
    """Use no box for the current game."""
    RENAME = "rename"
    DELETE = "delete"


class BoxRequest(Wire, frozen=True):
    """Do something with a box of dice."""

    act: BoxAct
    id: Annotated[str, Meta(max_length=16)] = ""
    name: Name | None = None


class LogAnswer(Wire, frozen=True):
    """All rows of the log, oldest first; a view carries only the newest."""

    rows: tuple[LogRow, ...]


class GameLine(Wire, frozen=True):
    """A line of the list of games; `at`: when the game's newest row was written, ISO 8601."""

    id: str
    game: str
    players: tuple[str, ...]
    monsters: tuple[str, ...]
    ended: bool
    winners: tuple[int, ...]
    at: str
    current: bool


class GamesAnswer(Wire, frozen=True):
    """The games of the log, the one that is played first, then those played last."""

    games: tuple[GameLine, ...]


class PastGame(Wire, frozen=True):
    """A game of the log to look at: its last position, and all its rows."""

    id: str
    game: GameView | None
    rows: tuple[LogRow, ...]
    playable: bool
    """False: the current rules cannot go on from it, or a newer version wrote it."""


class KnownName(Wire, frozen=True):
    """Somebody who has played, and the Monster of the last time."""

    name: str
    monster: str


class NamesAnswer(Wire, frozen=True):
    """Who has played, those who did last first; names that are one person's count once."""

    names: tuple[KnownName, ...]


class NamesRequest(Wire, frozen=True):
    """Who played as `name` is `into`; without `into`: take the two apart again."""

    name: PlayerName
    into: PlayerName | None = None


class CardNameRequest(Wire, frozen=True):
    """This card of the game is called `name` in the table's box."""

    card: Key
    name: PlayerName


class CardNamesAnswer(Wire, frozen=True):
    """What cards of the game are called in the table's box, by card."""

    names: dict[str, str]


class PlayAnswer(Wire, frozen=True):
    """A finished game for BG Stats: a link that any phone opens, and one for its app alone."""

    link: str
    app: str


class TakeUpRequest(Wire, frozen=True):
    """Make this game of the log the current one."""

    id: Key


class ForgottenAct(StrEnum):
    """What is done about what was forgotten."""

    LEAVE = "leave"
    """Leave all that is found as it is, and ask no more."""
    ASK = "ask"
    """Ask again about all that was left."""


class ForgottenRequest(Wire, frozen=True):
    """Do something about what was forgotten."""

    act: ForgottenAct
    table: Key | None = None


class Why(Wire, frozen=True):
    """One change of a number, or one part of a number that the rules look up."""

    seq: int
    """The row of the log it came with; 0: before the first."""
    turn: int
    words: Words
    delta: int
    total: int
    clause: str | None = None
    notes: tuple[Words, ...] = ()
    """What became of the amount before it happened, and what led there."""


class Drastic(Wire, frozen=True):
    """A value of a number, asked about before it is set by hand: who falls by it, or wins."""

    value: int
    outcomes: tuple[Words, ...]


class WhyAnswer(Wire, frozen=True):
    """The chain of a number, oldest first: its deltas add up to `value`."""

    seat: int
    what: str
    value: int
    rows: tuple[Why, ...]
    drastic: tuple[Drastic, ...] = ()


def decoded(body: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Decode the body. RefusedError names the field, and repeats nothing that was sent."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as wrong:
        raise _refusal(str(wrong)) from wrong
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as broken:
        raise RefusedError("error.form.broken") from broken


def _refusal(wrong: str) -> RefusedError:
    """Return msgspec's error as a sentence of the catalogue."""
    at, missing = FIELD.search(wrong), MISSING.match(wrong)
    field = (at["path"] if at else "").removeprefix(".")
    if missing:
        field = f"{field}.{missing['name']}".removeprefix(".")
        return RefusedError("error.form.missing", field=field)
    if (long := LENGTH.search(wrong)) is not None:
        return RefusedError("error.form.long", field=field, most=int(long["most"]))
    if NUMBER.match(wrong):
        return RefusedError("error.form.range", field=field)
    return RefusedError("error.form.wrong", field=field or "{}")


class HttpError(Exception):
    """An HTTP error with its sentence: that of `key`, else the one of the status. `allow`: with
    status 405, the methods that the path has.
    """

    def __init__(
        self, status: int, key: str = "", allow: Sequence[str] = (), **args: str | int
    ) -> None:
        self.status, self.allow = status, allow
        self.words = Words(key=key or STATUS_KEYS.get(status, "error.bad_request"), args=args)
        super().__init__(f"{status} {self.words.key}")


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP answer."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...]


def error_answer(refused: HttpError) -> Answer:
    """Make the JSON answer of a refusal, in the form that every route sends."""
    body = msgspec.json.encode(ErrorAnswer(error=refused.words))
    headers = {
        **ANSWER_HEADERS,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
    }
    if refused.allow:
        headers["Allow"] = ", ".join(refused.allow)
    return Answer(refused.status, body, tuple(headers.items()))

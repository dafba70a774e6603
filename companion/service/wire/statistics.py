"""Statistics of all finished games, as phones show them."""

from __future__ import annotations

from companion.engine import Face
from companion.records import CardLine, MonsterLine, PlayerLine, Share
from companion.service.wire.words import Wire, Words


class GameCount(Wire, frozen=True):
    """How many finished games there are of a box."""

    game: str
    count: int


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


class FaceShare(Wire, frozen=True):
    """How often a face was thrown."""

    face: Face
    share: Share


class DiceStatistics(Wire, frozen=True):
    """The dice of a box. Below `needed` dice there are no sentences but `head`, and nothing is
    concluded."""

    game: str
    count: int
    needed: int
    fair: float
    """The share of each face of a fair die."""
    head: Words
    faces: tuple[FaceShare, ...]
    often: Words | None = None
    """How often fair dice differ as much."""
    would_show: Words | None = None
    """What bias would have shown."""


class PlaceShare(Wire, frozen=True):
    """The share of turns that began at a place."""

    place: str
    share: Share


class PlaceStatistics(Wire, frozen=True):
    """Where turns of a box began, and how often who spent most of them in the city won."""

    game: str
    places: tuple[PlaceShare, ...]
    inside: Share
    won: Share


class StatisticsView(Wire, frozen=True):
    """Statistics of the finished games that are counted; `counting`: how many are not yet."""

    games: int
    counting: int
    evenings: int
    since: str | None
    by_game: tuple[GameCount, ...]
    feats: tuple[FeatView, ...]
    players: tuple[PlayerStatistics, ...]
    monsters: tuple[MonsterLine, ...]
    cards: tuple[CardLine, ...]
    dice: tuple[DiceStatistics, ...]
    places: tuple[PlaceStatistics, ...]

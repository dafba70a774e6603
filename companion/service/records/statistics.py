"""Statistics as phones show them: sentences as catalogue keys, and no more lines than fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from math import ceil
from typing import Final

from companion.records import (
    FEWEST_DICE,
    CardLine,
    DiceLine,
    Feat,
    FeatKind,
    Names,
    PlayerLine,
    Statistics,
)
from companion.service.wire import Words
from companion.service.wire_pages import DiceStatistics, FeatView, PlayerStatistics, StatisticsView

MOST_CARDS: Final = 20
"""Lines for the cards of each box."""
FEW_GAMES: Final = 3
"""Below so many games nothing is said of a player."""
MOSTLY: Final = 2 / 3
"""The share of games won that makes a way of winning a habit."""
SURELY_OFF: Final = 0.01
PERHAPS_OFF: Final = 0.05
"""How often fair dice may differ as much before the headline doubts them."""
FEAT_SIGNS: Final = {
    FeatKind.TURN_STARS: "stars",
    FeatKind.HIT: "attack",
    FeatKind.MINUTES: "clock",
}
HABITS: Final = ("stars", "survival")
"""Ways of winning that have a sentence."""


def statistics_view(found: Statistics, names: Names, counting: int) -> StatisticsView:
    """Return the statistics for phones; `counting`: how many games are missing in them."""
    most_taken = max((line.taken for line in found.players), default=0)
    return StatisticsView(
        games=found.games,
        counting=counting,
        evenings=found.evenings,
        since=found.since,
        by_game=found.by_game,
        feats=tuple(_feat(feat) for feat in found.feats),
        players=tuple(
            PlayerStatistics(
                line=line,
                note=_note(line, most_taken),
                aliases=names.aliases(line.name),
            )
            for line in found.players
        ),
        monsters=found.monsters,
        cards=tuple(_cards(found.cards)),
        dice=tuple(_dice(line) for line in found.dice),
        places=found.places,
    )


def _feat(feat: Feat) -> FeatView:
    sign, kind, note = FEAT_SIGNS[feat.kind], feat.kind.value, _holder(feat)
    if feat.kind is FeatKind.MINUTES:
        hours, minutes = divmod(feat.value, 60)
        note = Words(key="statistics.feat.turns", args={"count": feat.turns})
        kind, value = ("hours", f"{hours}:{minutes:02}") if hours else (kind, str(minutes))
    else:
        value = str(feat.value)
    return FeatView(sign=sign, value=value, what=Words(key=f"statistics.feat.{kind}"), note=note)


def _holder(feat: Feat) -> Words | None:
    """Return who holds a record: one name and how often, or how many people."""
    match feat.names:
        case ():
            return None
        case (name,) if feat.times == 1:
            return Words(key="statistics.feat.by", args={"name": name})
        case (name,):
            return Words(key="statistics.feat.by_times", args={"name": name, "count": feat.times})
    return Words(key="statistics.feat.by_several", args={"count": len(feat.names)})


def _note(line: PlayerLine, most_taken: int) -> Words:
    """Return what stands out about a player."""
    games, won = line.won.count, line.won.right
    if games < FEW_GAMES:
        return Words(key="statistics.note.few")
    for reason in HABITS:
        count = line.reasons.get(reason, 0)
        if won > 1 and count >= MOSTLY * won:
            return Words(key=f"statistics.note.{reason}", args={"count": count, "of": won})
    if line.taken == most_taken:
        return Words(key="statistics.note.taken", args={"count": line.taken})
    if line.with_monster > 1:
        return Words(key="statistics.note.likes", args={"monster": line.monster})
    return Words(key="statistics.note.dealt", args={"count": line.dealt})


def _cards(lines: Iterable[CardLine]) -> Iterator[CardLine]:
    """Yield the cards that were bought most often, of each box as many."""
    ordered = list(lines)
    for game in sorted({line.game for line in ordered}):
        yield from islice((line for line in ordered if line.game == game), MOST_CARDS)


def _dice(line: DiceLine) -> DiceStatistics:
    if line.p_value is None or line.detectable is None:
        head, often, would_show = Words(key="statistics.dice.few"), None, None
    else:
        head = Words(key=f"statistics.dice.{_verdict(line.p_value)}")
        often = _often(line.p_value)
        points = max(1, ceil(100 * line.detectable))
        would_show = Words(key="statistics.dice.would_show", args={"count": points})
    return DiceStatistics(
        game=line.game,
        count=line.count,
        needed=FEWEST_DICE,
        fair=round(1 / max(1, len(line.faces)), 4),
        head=head,
        faces=line.faces,
        often=often,
        would_show=would_show,
    )


def _verdict(p_value: float) -> str:
    if p_value < SURELY_OFF:
        return "off"
    return "odd" if p_value < PERHAPS_OFF else "even"


def _often(p_value: float) -> Words:
    """Return of how many samples of fair dice one would differ as much."""
    of_hundred = round(100 * p_value)
    if of_hundred < 1:
        return Words(key="statistics.dice.hardly_ever")
    return Words(key="statistics.dice.often", args={"count": of_hundred})

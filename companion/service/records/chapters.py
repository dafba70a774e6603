"""The parts of a game's story in words: sentences as catalogue keys, news taken from the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from companion.forecast.messages import StoryFound, turning_point
from companion.records import FEWEST_OF_GAME, CloseCall, Deed, Fall, GameTally, Luck, Story
from companion.service.views.logbook import log_row
from companion.service.views.news.happened import by_weight
from companion.service.wire import (
    Args,
    BestMoment,
    ChanceView,
    FaceCount,
    Happened,
    LogRow,
    LuckView,
    OutView,
    StoryView,
    TurningPoint,
    Words,
)
from companion.service.words.measured import measured_words
from companion.table import Entry

MOST_NEWS: Final = 3
"""Sentences about the turning point."""
OUT: Final = "happened.out"


def story_view(
    tally: GameTally,
    story: Story,
    entries: Sequence[Entry],
    chances: StoryFound | None,
    problem: Words | None = None,
) -> StoryView:
    """Return the story for phones and televisions; `problem`: why it has no chances."""
    result = tally.result
    return StoryView(
        id=result.table,
        turns=result.turns,
        minutes=result.minutes,
        chance=() if chances is None else tuple(_chances(chances)),
        turning_point=None if chances is None else _turning_point(story, entries, chances),
        best=tuple(_best(one) for one in story.best),
        fallen=tuple(_fallen(one, entries) for one in reversed(story.falls)),
        luck=tuple(_luck(one) for one in story.luck),
        closest=None if story.closest is None else _closest(story.closest),
        measured=None if chances is None else measured_words(chances.measured),
        problem=problem,
    )


def _chances(found: StoryFound) -> Iterator[ChanceView]:
    for one in found.turns:
        rounded = tuple(round(chance, 3) for chance in one.chances)
        yield ChanceView(turn=one.turn, seat=one.seat, chances=rounded, ended=one.ended)


def _turning_point(
    story: Story, entries: Sequence[Entry], found: StoryFound
) -> TurningPoint | None:
    turn = turning_point(found.turns)
    if turn is None:
        return None
    deed = next((one for one in story.turns if one.turn == turn.turn), None)
    return TurningPoint(
        turn=turn.turn,
        seat=turn.seat,
        faces=() if deed is None else deed.faces,
        happened=_of_turn(turn.turn, entries),
    )


def _of_turn(turn: int, entries: Sequence[Entry]) -> tuple[Happened, ...]:
    """Return what came of the rows of a turn that count, what matters most first."""
    found: list[Happened] = []
    for row in (entries[seq - 1] for seq in entries[-1].after.line):
        game = row.before.game
        if game is not None and game.turn.number == turn:
            found += _news(_log_row(row, entries))
    return tuple(by_weight(found)[:MOST_NEWS])


def _log_row(row: Entry, entries: Sequence[Entry]) -> LogRow:
    return log_row(row, None, entries)


def _news(row: LogRow) -> Iterator[Happened]:
    """Yield what came of a row: the answer itself where it is news, then what else came of it."""
    if row.words.key.startswith("happened."):
        yield Happened(sign=row.sign, words=row.words, why=row.why, changes=row.changes)
    yield from row.happened


def _best(one: Deed) -> BestMoment:
    what, count = ("stars", one.stars) if one.stars >= one.dealt else ("dealt", one.dealt)
    words = Words(key=f"story.best.{what}", args={"count": count, "turn": one.turn})
    return BestMoment(seat=one.seat, turn=one.turn, faces=one.faces, words=words)


def _fallen(fall: Fall, entries: Sequence[Entry]) -> OutView:
    """Return who fell by what: the last thing of that row that hurt the seat."""
    row = _log_row(entries[fall.row - 1], entries)
    hurt = [one for one in _news(row) if fall.seat in one.hurt and one.words.key != OUT]
    words = hurt[-1].words if hurt else Words(key=OUT, args={"seat": fall.seat})
    why = hurt[-1].why if hurt else ()
    return OutView(seat=fall.seat, turn=fall.turn, words=words, why=why)


def _closest(call: CloseCall) -> Words:
    args: Args = {"seat": call.seat, "turn": call.turn, "count": call.health}
    return Words(key="story.closest", args=args)


def _luck(one: Luck) -> LuckView:
    faces = tuple(FaceCount(face=face, count=count) for face, count in one.faces.items())
    return LuckView(seat=one.seat, dice=one.dice, words=_luck_words(one), faces=faces)


def _luck_words(one: Luck) -> Words:
    if one.dice < FEWEST_OF_GAME:
        return Words(key="story.luck.few", args={"count": one.dice, "needed": FEWEST_OF_GAME})
    if one.odd is None:
        args: Args = {"count": one.dice, "low": one.low, "high": one.high}
        return Words(key="story.luck.even", args=args)
    return Words(
        key="story.luck.odd",
        args={
            "count": one.faces[one.odd], "of": one.dice, "face": one.odd.value,
            "low": one.low, "high": one.high,
        },
    )  # fmt: skip

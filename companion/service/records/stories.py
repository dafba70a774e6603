"""Stories of finished games in words, each made once for as long as its rows stay the same."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from companion.engine import BROKEN
from companion.forecast.messages import MOST_TURNS, StoryAsked, StoryFound, turning_point
from companion.forecast.process import ForecastProcess, UnavailableError
from companion.records import (
    FEWEST_OF_GAME,
    Deed,
    Fall,
    GameTally,
    Luck,
    Story,
    story_of,
    tally_of,
    turn_positions,
)
from companion.service.records.tallies import KeptByRows
from companion.service.views.logbook import by_weight, log_row
from companion.service.wire import Args, LogRow, NewsLine, Words
from companion.service.wire_pages import (
    BestMoment,
    ChanceView,
    LuckView,
    OutView,
    StoryView,
    TurningPoint,
)
from companion.service.workers import Workers
from companion.table import Entry, RefusedError, Table
from companion.table.log import EventLog

MOST_NEWS: Final = 3
"""Sentences about the turning point."""
OUT: Final = "happened.out"
KEY: Final = "stories"
"""Of the state."""
MOST_STORIES: Final = 60
TRIED_AGAIN_S: Final = 60.0
"""A story without its chances is made again after this: what kept them away may be over."""


def story_view(
    tally: GameTally,
    story: Story,
    entries: Sequence[Entry],
    chances: StoryFound | None,
    problem: Words | None = None,
) -> StoryView:
    """Return the story for phones and televisions; `problem`: why it has no chances."""
    result, call = tally.result, story.closest
    return StoryView(
        turns=result.turns,
        minutes=result.minutes,
        chance=() if chances is None else tuple(_chances(chances)),
        turning_point=None if chances is None else _turning_point(story, entries, chances),
        best=tuple(_best(one) for one in story.best),
        fallen=tuple(_fallen(one, entries) for one in reversed(story.falls)),
        luck=tuple(
            LuckView(seat=one.seat, words=_luck_words(one), faces=one.faces) for one in story.luck
        ),
        closest=None
        if call is None
        else Words(
            key="story.closest",
            args={"seat": call.seat, "turn": call.turn, "count": call.health},
        ),
        problem=problem,
    )


def _chances(found: StoryFound) -> Iterator[ChanceView]:
    for one in found.turns:
        rounded = tuple(round(chance, 3) for chance in one.chances)
        yield ChanceView(turn=one.turn, chances=rounded, ended=one.ended)


def _turning_point(
    story: Story, entries: Sequence[Entry], found: StoryFound
) -> TurningPoint | None:
    turn = turning_point(found.turns)
    if turn is None:
        return None
    deed = next((one for one in story.turns if one.turn == turn.turn), None)
    return TurningPoint(
        turn=turn.turn,
        faces=() if deed is None else deed.faces,
        happened=_of_turn(turn.turn, entries),
    )


def _of_turn(turn: int, entries: Sequence[Entry]) -> tuple[NewsLine, ...]:
    """Return what came of the rows of a turn that count, what matters most first."""
    found: list[NewsLine] = []
    for row in (entries[seq - 1] for seq in entries[-1].after.active):
        game = row.before.game
        if game is not None and game.turn.number == turn:
            found += _news(log_row(row, None, entries))
    return tuple(by_weight(found)[:MOST_NEWS])


def _news(row: LogRow) -> Iterator[NewsLine]:
    """Yield what came of a row: the answer itself if it is news, then what else came of it."""
    if row.words.key.startswith("happened."):
        yield NewsLine(sign=row.sign, words=row.words, why=row.why, changes=row.changes)
    yield from row.happened


def _best(one: Deed) -> BestMoment:
    what, count = ("stars", one.stars) if one.stars >= one.dealt else ("dealt", one.dealt)
    words = Words(key=f"story.best.{what}", args={"count": count, "turn": one.turn})
    return BestMoment(seat=one.seat, faces=one.faces, words=words)


def _fallen(fall: Fall, entries: Sequence[Entry]) -> OutView:
    """Return who fell by what: the last thing of that row that hurt the seat."""
    row = log_row(entries[fall.row - 1], None, entries)
    hurt = [one for one in _news(row) if fall.seat in one.hurt and one.words.key != OUT]
    words = hurt[-1].words if hurt else Words(key=OUT, args={"seat": fall.seat})
    why = hurt[-1].why if hurt else ()
    return OutView(seat=fall.seat, turn=fall.turn, words=words, why=why)


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


class Stories:
    """The stories of finished games. Thread-safe; who asks for a new one waits for it."""

    def __init__(
        self, table: Table, log: EventLog, networks: Path, forecasts: ForecastProcess
    ) -> None:
        self._table, self._log = table, log
        self._forecasts = forecasts
        self._making = threading.Lock()
        self._workers = Workers("stories", 1)
        version = _hash(networks / "value.json")
        self._kept = KeptByRows[StoryView](log, KEY, StoryView, version, MOST_STORIES)
        self._lacking_until: dict[str, float] = {}
        """Until when a story without its chances is not made again."""

    def follow(self) -> None:
        """Make the story of a game that has just ended. Called after every change of the table."""
        now = self._table.snapshot()
        if now.state.game is not None and now.state.game.ended is not None:
            self._workers.do_if_idle(self.story, now.game_id)

    def story(self, game: str) -> StoryView:
        """Return the story of a finished game. RefusedError if it goes on, or the log has none
        of that name."""
        return self._known(game) or self._new(game)

    def _known(self, game: str) -> StoryView | None:
        kept = self._kept.of(game)
        if kept is None or kept[0].problem is None:
            return kept and kept[0]
        return kept[0] if time.monotonic() < self._lacking_until.get(game, 0.0) else None

    def _new(self, game: str) -> StoryView:
        """Return a story that is not kept; of several who ask at once, one has it made."""
        with self._making:
            known = self._known(game)
            if known is not None:
                return known
            last_hash = self._log.last_hash(game)
            story = self._made(game, self._table.snapshot_of(game).entries)
            self._kept.keep(game, last_hash, story)
            if story.problem is None:
                self._kept.save()
            else:
                self._lacking_until[game] = time.monotonic() + TRIED_AGAIN_S
            return story

    def _made(self, game: str, entries: Sequence[Entry]) -> StoryView:
        try:
            tally = tally_of(game, entries)
            if tally is None or tally.result.reason is None:
                raise RefusedError("error.story.not_ended")
            story = story_of(tally, entries)
            chances, problem = self._chances(entries)
            return story_view(tally, story, entries, chances, problem)
        except BROKEN as broken:
            raise RefusedError("error.story.unreadable") from broken

    def _chances(self, entries: Sequence[Entry]) -> tuple[StoryFound | None, Words | None]:
        turns = tuple((row, position.game) for row, position in turn_positions(entries))
        if len(turns) > MOST_TURNS:
            return None, Words(key="error.forecast.long")
        try:
            return self._forecasts.story(StoryAsked(turns)), None
        except UnavailableError as why:
            return None, Words(key=why.key, args=why.params)


def _hash(contract: Path) -> str:
    """Return what names the networks; "" if there are none."""
    try:
        return sha256(contract.read_bytes()).hexdigest()
    except OSError:
        return ""

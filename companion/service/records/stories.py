"""Stories of finished games: each made once for as long as its rows stay the same, and kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.engine import BROKEN
from companion.forecast.messages import MOST_TURNS, StoryAsked, StoryFound
from companion.forecast.process import ForecastProcess, UnavailableError
from companion.records import story_of, tally_of, turn_positions
from companion.service.records.chapters import story_view
from companion.service.wire import StoryView, Words
from companion.service.workers import Workers
from companion.table import RULES_VERSION, Entry, RefusedError, Snapshot, Table
from companion.table.log import EventLog

KEY: Final = "stories"
"""Of the state."""
FORMAT: Final = 1
"""Raised whenever a story means or holds something else."""
MOST_STORIES: Final = 60
MOST_LACKING: Final = 8
TRIED_AGAIN_S: Final = 60.0
"""After so long a story without its chances is made anew: what kept them away may be over."""


class _Kept(msgspec.Struct, frozen=True):
    """A story, and the rows that it was made from."""

    tip: str
    story: StoryView


class _Stories(msgspec.Struct, frozen=True):
    """All stories, as they are kept; `networks`: the contract of the networks that were asked."""

    format: int
    rules: str
    networks: str
    games: Annotated[dict[str, _Kept], Meta(max_length=MOST_STORIES)]


_STORIES: Final = msgspec.json.Decoder(_Stories)


class Stories:
    """The stories of finished games. Thread-safe; who asks for a new one waits for it."""

    def __init__(
        self, table: Table, log: EventLog, networks: Path, forecasts: ForecastProcess
    ) -> None:
        self._table, self._log = table, log
        self._forecasts = forecasts
        self._networks = _hash(networks / "value.json")
        self._making = threading.Lock()
        self._workers = Workers("stories", 1)
        self._ended: tuple[str, str] | None = None
        self._kept = _read(log, self._networks)
        self._lacking: dict[str, tuple[float, _Kept]] = {}
        """Stories without their chances, and until when they are not made anew; in no file."""

    def follow(self) -> None:
        """Make the story of a game that has just ended. Called after every change of the table."""
        now = self._table.snapshot()
        over = now.state.game is not None and now.state.game.ended is not None
        ended = (now.game_id, self._log.last_hash(now.game_id)) if over else None
        if ended is not None and ended != self._ended:
            self._workers.submit(self._prepare, now)
        self._ended = ended

    def story(self, game: str) -> StoryView:
        """Return the story of a finished game. RefusedError where it goes on, or the log has none
        of that name."""
        return self._known(game) or self._new(game, None)

    def current(self) -> StoryView:
        """Return the story of the game that is on the table."""
        return self.story(self._table.snapshot().game_id)

    def close(self) -> None:
        """Make no more, without waiting."""
        self._workers.shutdown()

    def _prepare(self, ended: Snapshot) -> None:
        """Make the story of a game as it stood when it ended: its rows are played over already."""
        if self._log.count(ended.game_id) != ended.rev:
            return  # the end was undone meanwhile
        with suppress(RefusedError):
            self._new(ended.game_id, ended)

    def _known(self, game: str) -> StoryView | None:
        until, lacking = self._lacking.get(game, (0.0, None))
        kept = lacking if time.monotonic() < until else self._kept.get(game)
        return kept.story if kept is not None and kept.tip == self._log.last_hash(game) else None

    def _new(self, game: str, at: Snapshot | None) -> StoryView:
        """Return a story that is not kept; of several who ask at once, one has it made."""
        with self._making:
            known = self._known(game)
            if known is not None:
                return known
            tip, now = self._log.last_hash(game), self._table.snapshot()
            if at is None:
                at = now if now.game_id == game else self._table.snapshot_of(game)
            story = self._made(game, at.entries)
            if self._log.last_hash(game) == tip:
                keep = self._keep if story.problem is None else self._keep_for_a_while
                keep(game, _Kept(tip, story))
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

    def _keep_for_a_while(self, game: str, lacking: _Kept) -> None:
        """Keep a story without its chances, so that who asks again does not have it made anew."""
        others = {name: one for name, one in self._lacking.items() if name != game}
        kept = {**others, game: (time.monotonic() + TRIED_AGAIN_S, lacking)}
        self._lacking = dict(list(kept.items())[-MOST_LACKING:])

    def _keep(self, game: str, kept: _Kept) -> None:
        games = {name: one for name, one in self._kept.items() if name != game}
        games[game] = kept
        self._kept = dict(list(games.items())[-MOST_STORIES:])
        self._log.put_state(KEY, _Stories(FORMAT, RULES_VERSION, self._networks, self._kept))


def _hash(contract: Path) -> str:
    """Return what names the networks; "" where there are none."""
    try:
        return sha256(contract.read_bytes()).hexdigest()
    except OSError:
        return ""


def _read(log: EventLog, networks: str) -> dict[str, _Kept]:
    """Return the stories that are kept; none of other networks or another version."""
    found = log.state(KEY, _STORIES)
    wanted = (FORMAT, RULES_VERSION, networks)
    if found is None or (found.format, found.rules, found.networks) != wanted:
        return {}
    return dict(found.games)

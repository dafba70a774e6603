"""What finished games come to: statistics, merged names, and the files of a game."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

import msgspec

from companion.catalogues import catalogue
from companion.records import (
    APP_LINK,
    LINK,
    NAMES,
    GameTally,
    Names,
    log_lines,
    named,
    play_link,
    play_of,
    scores_csv,
    statistics,
)
from companion.records.names import KEY as NAMES_KEY
from companion.resources import LANGUAGES
from companion.service import requests
from companion.service.records.statistics import statistics_view
from companion.service.records.tallies import TallyBook
from companion.table import GameSummary, RefusedError, Table
from companion.table.log import EventLog

MOST_KNOWN: Final = 24
"""How many names are suggested, those who played last."""


def known_names(games: Iterable[GameSummary], names: Names) -> requests.NamesAnswer:
    """Return who has played, last first, each with the Monster it played then. `games`: the one
    played last at the end."""
    found: dict[str, requests.KnownName] = {}
    for one in reversed(tuple(games)):
        if not one.started or one.setup is None:
            continue
        for seat in one.setup.seats:
            name = names.of(seat.player)
            if name and len(found) < MOST_KNOWN:
                known = requests.KnownName(name=name, monster=seat.monster)
                found.setdefault(name.casefold(), known)
    return requests.NamesAnswer(names=tuple(found.values()))


class Archive:
    """What finished games come to. Answers are computed from tallies: no request replays games but
    one that is exported and not counted yet."""

    def __init__(self, table: Table, log: EventLog, tallies: TallyBook) -> None:
        self._table, self._log, self._book = table, log, tallies
        self._naming = threading.Lock()
        self._names = log.state(NAMES_KEY, NAMES) or Names()
        self._answer: tuple[tuple[object, ...], bytes] = ((), b"")

    def statistics_answer(self) -> bytes:
        """Return the statistics of the games counted so far, a `StatisticsView` in JSON, encoded
        once for all who look."""
        counted, names = self._book.counted(), self._names
        of = (counted.tallies, counted.left, names)
        if self._answer[0] != of:
            found = statistics(named(one, names) for one in counted.tallies)
            view = statistics_view(found, names, counted.left)
            self._answer = (of, msgspec.json.encode(view))
        return self._answer[1]

    def known_names(self) -> requests.NamesAnswer:
        """Return the names to suggest for a seat."""
        return known_names(self._table.games(), self._names)

    def change_names(self, form: requests.NamesRequest) -> None:
        """Merge two names, or take them apart; RefusedError if that cannot be."""
        with self._naming:
            if form.into is None:
                names = self._names.apart(form.name)
            else:
                self._check_played_apart(form.name, form.into)
                names = self._names.merged(form.name, form.into)
            self._log.put_state(NAMES_KEY, names)
            self._names = names

    def _check_played_apart(self, name: str, into: str) -> None:
        """Raise RefusedError if nobody of either name has played, or both have in one game."""
        results = [one.result for one in self._all()]
        played = [{one.player.casefold() for one in result.players} for result in results]
        one, other = name.casefold(), self._names.of(into).casefold()
        for each, folded in ((name, one), (into, other)):
            if not any(folded in game for game in played):
                raise RefusedError("error.names.unknown", name=each)
        if one != other and any({one, other} <= game for game in played):
            raise RefusedError("error.names.both", name=name, other=into)

    def _all(self) -> list[GameTally]:
        """Return the tallies of all finished games; RefusedError while some are counted."""
        counted = self._book.counted()
        if counted.left:
            raise RefusedError("error.still_counting", count=counted.left)
        return [named(one, self._names) for one in counted.tallies]

    def all_scores(self) -> str:
        """Return the scores of all finished games as CSV; RefusedError while some are counted."""
        return scores_csv(one.result for one in self._all())

    def scores(self, game: str) -> str:
        """Return the scores of one game as CSV; RefusedError if none has started."""
        return scores_csv([self._tally(game).result])

    def rows(self, game: str) -> bytes:
        """Return the rows of a finished game as lines of JSON, up to the first that holds what one
        seat alone may know. RefusedError if it goes on: its log holds what others have set ahead.
        """
        if self._tally(game).result.reason is None:
            raise RefusedError("error.export.not_ended")
        private_from = self._table.snapshot_of(game).private_from
        rows = islice(self._log.read(game), private_from and private_from - 1)
        return b"".join(line + b"\n" for line in log_lines(rows))

    def play(self, game: str, language: str) -> requests.PlayAnswer:
        """Return the links that hand a finished game to BG Stats; RefusedError if it goes on, or
        its log has no time."""
        result = self._tally(game).result
        play = play_of(result, _namer(language, result.game))
        if play is None:
            ended = result.reason is not None
            raise RefusedError("error.export.no_time" if ended else "error.export.not_ended")
        return requests.PlayAnswer(link=play_link(play, LINK), app=play_link(play, APP_LINK))

    def _tally(self, game: str) -> GameTally:
        tally = self._book.tally(game)
        if tally is None:
            raise RefusedError("error.export.no_game")
        return named(tally, self._names)


def _namer(language: str, game: str) -> Callable[[str], str]:
    """Return what gives the words of a catalogue key, a game's own if it has some."""
    found = catalogue(language if language in LANGUAGES else LANGUAGES[0])

    def words(key: str) -> str:
        own = found.get(f"{game}/{key}", found.get(key, key))
        return own if isinstance(own, str) else own["other"]

    return words

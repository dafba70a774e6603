"""The result of a game, a fold over the rows of its log, and the files that other programs take."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import msgspec

from companion.engine import RULESETS, Game
from companion.errors import KeyedError
from companion.table import Entry, GameStarted, Input, State, TableSet
from companion.table.database import StoredRow

# -- the result of one game, a fold over the rows of its log that count ----------------------------


LONGEST: Final = 24 * 60
"""Minutes; a game that took longer was interrupted, or its clock was set meanwhile."""


class PlayerResult(msgspec.Struct, frozen=True):
    """How one seat ended. `player`: its name, "" without one; `monster`: its picture; `rank` counts
    from 1, and several may share one."""

    seat: int
    player: str
    monster: str
    rank: int
    won: bool
    first: bool
    """Whether it took the first turn."""
    health: int
    stars: int
    energy: int
    died_turn: int | None = None


class GameResult(msgspec.Struct, frozen=True):
    """A game as it stands at its newest row. `reason`: how it ended, None if it has not."""

    table: str
    game: str
    edition: str
    house: tuple[str, ...]
    turns: int
    players: tuple[PlayerResult, ...]
    reason: str | None = None
    began: datetime | None = None
    """When its first row was written, by the clock of that time; None if unknown."""
    ended: datetime | None = None
    """When the row that ended it was written, or its newest."""

    @property
    def is_demo(self) -> bool:
        """Whether no seat has a name, as in games with demo dice."""
        return not any(one.player for one in self.players)

    @property
    def minutes(self) -> int | None:
        """How long it took; None if the clock does not say, or says more than LONGEST."""
        if self.began is None or self.ended is None:
            return None
        minutes = round((self.ended - self.began).total_seconds() / 60)
        return minutes if 0 <= minutes <= LONGEST else None


def result_of(table: str, entries: Sequence[Entry]) -> GameResult | None:
    """Return the result of a table's game; None if none has started."""
    state = entries[-1].after if entries else State()
    if state.game is None or state.setup is None:
        return None
    counted = [entries[seq - 1] for seq in state.active]
    started = next((row for row in counted if isinstance(row.event, GameStarted)), None)
    last = _last_row(counted, state.game)
    return GameResult(
        table=table,
        game=state.game.rules,
        edition=state.game.edition,
        house=state.game.house,
        turns=state.game.turn.number,
        players=_players(state.game, state.setup, started),
        reason=None if state.game.ended is None else state.game.ended.reason,
        began=None if started is None else parse_time(started.at),
        ended=None if last is None else parse_time(last.at),
    )


def _last_row(counted: Sequence[Entry], game: Game) -> Entry | None:
    """Return the row that ended the game, or its newest."""
    if game.ended is None:
        return counted[-1] if counted else None
    played = (row for row in reversed(counted) if (now := row.before.game) is None or not now.ended)
    return next(played, None)


def parse_time(written: str) -> datetime | None:
    """Return an ISO 8601 time in UTC; None if it is none. Without an offset it counts as UTC."""
    try:
        read = datetime.fromisoformat(written)
        return (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _players(game: Game, setup: TableSet, started: Entry | None) -> tuple[PlayerResult, ...]:
    first = started.event.first if started and isinstance(started.event, GameStarted) else None
    standings = _standings(game)
    return tuple(
        PlayerResult(
            seat=seat,
            player=setup.seats[seat].player,
            monster=setup.seats[seat].monster,
            rank=1 + sum(other > standings[seat] for other in standings),
            won=standings[seat][0],
            first=seat == first,
            health=monster.health,
            stars=monster.stars,
            energy=monster.energy,
            died_turn=monster.died_turn,
        )
        for seat, monster in enumerate(game.monsters)
    )


def _standings(game: Game) -> list[tuple[bool, bool, int, int]]:
    """Return what ranks each seat: winners, the living, the last to die, then stars."""
    winners = game.ended.winners if game.ended is not None else ()
    return [
        (seat in winners, monster.alive, monster.died_turn or 0, monster.stars)
        for seat, monster in enumerate(game.monsters)
    ]


def last_place(game: Game) -> int | None:
    """Return the seat that came last; None if several did."""
    standings = _standings(game)
    least = min(standings)
    return standings.index(least) if standings.count(least) == 1 else None


# -- the rows of a log as lines of an exported file ------------------------------------------------


class LogLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One row of an exported log.

    `row` counts from 1; `at`: when, ISO 8601; `who`: which seat's phone, "" for the host's, "tray"
    for what happened without a tap; `command_id`: rows of one command share it; `rules_version`: of
    the rules that wrote it; `digest`: of the position after it, "" if unknown; `position`: that
    position, if the line has it.
    """

    event: Input
    row: int = 0
    at: str = ""
    who: str = ""
    command_id: str = ""
    rules_version: str = ""
    digest: str = ""
    position: Game | None = None


_FIELDS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ROW: Final = msgspec.json.Decoder(LogLine)
_EVENT: Final[msgspec.json.Decoder[Input]] = msgspec.json.Decoder(Input)
_COPIED: Final = ("at", "who", "command_id", "rules_version", "digest")


def log_lines(rows: Iterable[StoredRow]) -> Iterator[bytes]:
    """Yield each row as a line of JSON without its end, as it was written: an event that only newer
    rules know, too."""
    for number, row in enumerate(rows, 1):
        line = {"event": msgspec.Raw(row.event.encode()), "row": number}
        line |= {name: getattr(row, name) for name in _COPIED}
        if row.position is not None:
            line["position"] = msgspec.Raw(row.position.encode())
        yield msgspec.json.encode(line)


def row_of(line: LogLine) -> StoredRow:
    """Convert a line of an exported log to a row."""
    return StoredRow(
        event=msgspec.json.encode(line.event).decode(),
        position=msgspec.json.encode(line.position).decode() if line.position else None,
        **{name: getattr(line, name) for name in _COPIED},
    )


def read_lines(path: Path, lines: Iterable[bytes]) -> tuple[StoredRow, ...]:
    """Parse an exported log: one JSON object a line, a whole row or just an event; blank lines are
    skipped. KeyedError at a line that is neither.
    """
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                is_row = "event" in _FIELDS.decode(line)
                rows.append(row_of(_ROW.decode(line) if is_row else LogLine(_EVENT.decode(line))))
        except (ValueError, RecursionError) as wrong:  # msgspec's errors are ValueErrors
            raise KeyedError(
                "error.not_an_event", path=str(path), line=number, reason=str(wrong)
            ) from wrong
    return tuple(rows)


# -- results as rows of a table for spreadsheets ---------------------------------------------------


COLUMNS: Final = (
    "table", "game", "edition", "house", "began", "ended", "minutes", "turns", "reason",
    "seat", "player", "monster", "rank", "won", "first", "stars", "health", "energy", "died_turn",
)  # fmt: skip
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet take a cell for a formula."""


def score_rows(results: Iterable[GameResult]) -> Iterator[tuple[str, ...]]:
    """Yield the COLUMNS, then a row for each seat of each game. Times are UTC; what is not known is
    empty."""
    yield COLUMNS
    for game in results:
        of_game = (
            game.table, game.game, game.edition, " ".join(game.house), _time(game.began),
            _time(game.ended), game.minutes, game.turns, game.reason,
        )  # fmt: skip
        for one in game.players:
            of_seat = (
                one.seat, one.player, one.monster, one.rank, int(one.won), int(one.first),
                one.stars, one.health, one.energy, one.died_turn,
            )  # fmt: skip
            yield tuple(_cell(value) for value in (*of_game, *of_seat))


def scores_csv(results: Iterable[GameResult]) -> str:
    """Return the rows of these games as a CSV file (RFC 4180)."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(score_rows(results))
    return text.getvalue()


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"


def _cell(value: str | int | None) -> str:
    """Return the text of a cell; a player's name is never a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


# -- a play as BG Stats takes it: the app of that name records plays of board games ----------------


LINK: Final = "https://app.bgstatsapp.com/createPlay.html?data="
APP_LINK: Final = "bgstats://app.bgstatsapp.com/createPlay.html?data="
SOURCE: Final = "Monster Table"
ID_LENGTH: Final = 8

Play = dict[str, Any]
"""JSON values under BG Stats' own names."""


def play_of(result: GameResult, name: Callable[[str], str]) -> Play | None:
    """Return the play; None if the game has not ended, or the log does not say when. `name`
    gives the words of a catalogue key, or the key itself if it has none."""
    if result.ended is None or result.reason is None:
        return None
    minutes, began = result.minutes, result.began or result.ended
    return {
        "sourceName": SOURCE,
        # Tables are numbered on each machine: the time tells those of two machines apart.
        "sourcePlayId": f"{result.table}-{began:%Y%m%dT%H%M%S}",
        "playDate": f"{result.ended:%Y-%m-%d %H:%M:%S}",
        **({} if minutes is None else {"durationMin": minutes}),
        "board": " ".join((result.edition, *result.house)),
        "game": _game(result.game, name),
        "players": [_player(one, name) for one in result.players],
    }


def _game(game: str, name: Callable[[str], str]) -> dict[str, str | int | bool]:
    rules = RULESETS.get(game)
    number = {} if rules is None or not rules.bgg_id else {"bggId": rules.bgg_id}
    return {"name": name(f"game.{game}"), "sourceGameId": game, "highestWins": True, **number}


def _player(one: PlayerResult, name: Callable[[str], str]) -> dict[str, str | int | bool]:
    key = f"monster.{one.monster}"
    known = name(key)
    monster = known if known != key else ""
    seat = f"Player {one.seat + 1}"
    return {
        "name": one.player or monster or seat,
        "sourcePlayerId": _id_of(one.player or one.monster or seat),
        "startPlayer": one.first,
        "rank": one.rank,
        "role": monster,
        "score": one.stars,
        "winner": one.won,
    }


def _id_of(name: str) -> str:
    """Return the same id for a name on every evening, since BG Stats remembers the player that it
    was matched to. Short, for the QR code."""
    return hashlib.sha256(name.casefold().encode()).hexdigest()[:ID_LENGTH]


def play_link(play: Play, start: str = LINK) -> str:
    """Return the link that hands the play over; `start` is LINK or APP_LINK."""
    return start + quote(msgspec.json.encode(play).decode(), safe=":,")

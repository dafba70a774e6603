"""`companion replay`: a saved game under the rules of today."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click
import msgspec

from companion.cli.options import InputFile
from companion.cli.play import print_position
from companion.cli.words import FAILED, print_json, refusal, refuse, tell
from companion.engine import Event, Game, Position
from companion.files import refuse_irregular
from companion.records import read_lines
from companion.table import Entry, replay_all
from companion.table.backup import check_log
from companion.table.database import (
    FILE_NAME,
    CannotOpenError,
    StoredRow,
    known_games,
    saved_games,
    saved_rows,
)

SQLITE = b"SQLite format 3\0"


class Divergence(msgspec.Struct, frozen=True):
    """The first row at which the rules of today disagree with a log.

    `key`: `diverged` if their position has another digest than `claimed`, else why they refuse the
    event; `said`: the same as a sentence; `rules_version`: of the rules that wrote the row.
    """

    row: int
    turn: int
    key: str
    said: str
    claimed: str
    rules_version: str


class ReplayResult(msgspec.Struct, frozen=True):
    """The result of a replay. `rows`: all rows of the log; `events`: events of the rules
    that count.
    """

    position: Game
    digest: str
    rows: int
    events: int
    diverged: Divergence | None = None


# -- reading a log --------------------------------------------------------------------------------


def read_log(path: Path, table: str | None) -> tuple[StoredRow, ...]:
    """Read the rows of a log: a data folder, its database (the newest game unless named), or an
    exported file. End the command if nothing can be read.
    """
    file = path / FILE_NAME if path.is_dir() else path
    try:
        if file is not path:
            refuse_irregular(file)  # a file that is named itself may be a pipe
        content = file.read_bytes()
    except FileNotFoundError:
        refuse("error.no_games", path=str(path))
    if not content.startswith(SQLITE):
        if content and file is not path:
            refuse_log(file, "file is not a database")
        if b"\0" in content:
            refuse("error.not_a_log", path=str(file))
        if table is not None:
            refuse("error.one_game", path=str(file))
        return read_lines(file, content.splitlines())
    try:
        known = saved_games(file)
        wanted = table if table is not None else next(reversed(known), "")
        if not known:
            refuse("error.no_games", path=str(file.parent))
        if wanted not in known:
            refuse("error.no_such_table", table=wanted, **known_games(known))
        return saved_rows(file, wanted)
    except CannotOpenError as refusal:
        refuse_log(file, refusal.reason)


def refuse_log(path: Path, reason: str) -> NoReturn:
    """End the command: the database cannot be read, or is another program's."""
    with suppress(OSError):
        if check_log(path).kind == "foreign":
            refuse("error.foreign_log", path=str(path))
    refuse("error.log_file", path=str(path), reason=reason)


def replay_rows(path: Path, rows: Iterable[StoredRow]) -> tuple[Entry, ...]:
    """Replay the rows; end the command if no game begins in them."""
    entries = tuple(replay_all(rows))
    if not entries or entries[-1].after.game is None:
        refuse("error.no_game_in_log", path=str(path))
    return entries


def counted(entries: tuple[Entry, ...]) -> Iterator[Entry]:
    """Yield the entries that count, oldest first."""
    return (entries[seq - 1] for seq in entries[-1].after.line)


def rule_entries(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Return the entries that count and hold events of the rules, oldest first."""
    return tuple(one for one in counted(entries) if isinstance(one.event, Event))


def _game(entry: Entry) -> Game:
    assert entry.after.game is not None  # replay_rows saw to it
    return entry.after.game


# -- replay ---------------------------------------------------------------------------------------


@click.command("replay", epilog="Example: companion replay game.jsonl")
@click.argument("log", type=InputFile(folder=""))
@click.option("--table", metavar="ID", help="Which game; by default the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole position as JSON.")
def replay_log(log: Path, table: str | None, as_json: bool) -> None:
    """Play a saved game again and compare. LOG is a data folder, its database, or a file that
    `companion export` has written. Prints the last position and its digest. The exit status is 1 if
    the rules of today lead to another one.
    """
    rows = read_log(log, table)
    entries = replay_rows(log, rows)
    diverged, last = divergence(rows, entries), Position.of(_game(entries[-1]))
    if as_json:
        events = len(rule_entries(entries))
        print_json(ReplayResult(last.game, last.digest(), len(rows), events, diverged))
    else:
        print_position(last)
    if diverged is not None:
        _tell_divergence(diverged)
        raise SystemExit(FAILED)


def divergence(rows: tuple[StoredRow, ...], entries: tuple[Entry, ...]) -> Divergence | None:
    """Return the first disagreement of the rules of today with the log; None if there is none."""
    for one in entries:
        if one.refused is not None:
            row, game = rows[one.seq - 1], one.before.game
            turn = game.turn.number if game is not None else 0
            key = one.refused.key.removeprefix("error.")
            said = refusal(key, **one.refused.params)
            return Divergence(one.seq, turn, key, said, row.digest, row.rules_version)
    return None


def _tell_divergence(one: Divergence) -> None:
    version = one.rules_version or "?"
    tell("replay.diverged", row=one.row, turn=one.turn, version=version, why=one.said)

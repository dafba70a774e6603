"""Reading logs for the commands: from the database of a data folder, or an exported file."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import msgspec

from companion.cli.options.values import refuse_unreadable
from companion.cli.words import refuse
from companion.engine import Game
from companion.files import refuse_irregular
from companion.table import Entry, Input, replay_all
from companion.table.backup import check_log
from companion.table.database import (
    FILE_NAME,
    CannotOpenError,
    StoredRow,
    known_games,
    saved_games,
    saved_rows,
)
from companion.table.history import decode_event

SQLITE = b"SQLite format 3\0"


class LogLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One row of an exported log.

    `row` counts from 1; `at`: when, ISO 8601; `who`: which seat's phone, "" for the host's, "tray"
    for what happened without a tap; `command_id`: rows of one command share it; `rules_version`: of
    the rules that wrote it; `digest`: of the position after it, "" where unknown; `position`: that
    position, where the line has it.
    """

    event: Input
    row: int = 0
    at: str = ""
    who: str = ""
    command_id: str = ""
    rules_version: str = ""
    digest: str = ""
    position: Game | None = None


def row_of(line: LogLine) -> StoredRow:
    """Convert a line of an exported log to a row."""
    written = line.position
    return StoredRow(
        at=line.at,
        who=line.who,
        command_id=line.command_id,
        event=msgspec.json.encode(line.event).decode(),
        rules_version=line.rules_version,
        digest=line.digest,
        position=None if written is None else msgspec.json.encode(written).decode(),
    )


def _position(written: str | None) -> Game | None:
    return None if written is None else msgspec.json.decode(written, type=Game)


def read_lines(path: Path, lines: Iterable[bytes]) -> tuple[StoredRow, ...]:
    """Parse an exported log: one JSON object a line, a whole row or just an event; blank lines are
    skipped. End the command at a line that is neither.
    """
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append(row_of(_parse_line(line)))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
            refuse("error.not_an_event", path=str(path), line=number, reason=str(wrong))
    return tuple(rows)


def line_of(number: int, row: StoredRow) -> LogLine:
    """Convert a row of the log to a line of an exported log."""
    return LogLine(
        event=decode_event(row),
        row=number,
        at=row.at,
        who=row.who,
        command_id=row.command_id,
        rules_version=row.rules_version,
        digest=row.digest,
        position=_position(row.position),
    )


def _parse_line(line: bytes) -> LogLine:
    alone = "event" not in msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    if alone:
        return LogLine(msgspec.json.decode(line, type=Input))
    return msgspec.json.decode(line, type=LogLine)


def read_log(path: Path, table: str | None) -> tuple[StoredRow, ...]:
    """Read the rows of a log: a data folder, its database (the newest table unless named), or an
    exported file. End the command where nothing can be read.
    """
    file = path / FILE_NAME if path.is_dir() else path
    try:
        if file is not path:
            refuse_irregular(file)  # a file that is named itself may be a pipe
        content = file.read_bytes()
    except FileNotFoundError:
        refuse("error.no_games", path=str(path))
    except OSError as refusal:
        refuse_unreadable(file, refusal)
    if not content.startswith(SQLITE):
        if content and file is not path:
            refuse_log(file, "file is not a database")
        if b"\0" in content:
            refuse("error.not_a_log", path=str(file))
        if table is not None:
            refuse("error.one_game", path=str(file))
        return read_lines(file, content.splitlines())
    try:
        return _database_rows(file, table)
    except CannotOpenError as refusal:
        refuse_log(file, refusal.reason)


def refuse_log(path: Path, reason: str) -> NoReturn:
    """End the command: the database cannot be read, or is another program's."""
    with suppress(OSError):
        if check_log(path).kind == "foreign":
            refuse("error.foreign_log", path=str(path))
    refuse("error.log_file", path=str(path), reason=reason)


def _database_rows(file: Path, table: str | None) -> tuple[StoredRow, ...]:
    known = saved_games(file)
    wanted = table if table is not None else next(reversed(known), "")
    if not known:
        refuse("error.no_games", path=str(file.parent))
    if wanted not in known:
        refuse("error.no_such_table", table=wanted, **known_games(known))
    return saved_rows(file, wanted)


def replay_rows(path: Path, rows: Iterable[StoredRow]) -> tuple[Entry, ...]:
    """Replay the rows; end the command where no game begins in them."""
    entries = tuple(replay_all(rows))
    if not entries or entries[-1].after.game is None:
        _no_game(path)
    return entries


def _no_game(path: Path) -> NoReturn:
    refuse("error.no_game_in_log", path=str(path))

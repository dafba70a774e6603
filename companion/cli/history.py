"""`companion replay`, `audit` and `forecast`: a saved game under the rules of today."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click
import msgspec

from companion.cli.options import DATA, InputFile, games_folder
from companion.cli.play import print_position
from companion.cli.words import FAILED, fail, print_json, refusal, refuse, render, sentence, tell
from companion.engine import Audit, Difference, Event, Game, IllegalEvent, Position, rules_of
from companion.files import refuse_irregular
from companion.forecast.messages import TurnChances, turning_point
from companion.records import read_lines, turn_positions
from companion.resources import resource_dir
from companion.service.views.reasons import may_be_same_game
from companion.service.views.score_audit import with_row_numbers
from companion.service.views.words import difference_words, reason_words
from companion.table import ActiveRows, Entry, Redone, Undone, replay_all
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


class TurnEnd(msgspec.Struct, frozen=True):
    """The row that ended a turn (0: the set-up) or the game, and the digest after it."""

    turn: int
    row: int
    digest: str


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


def unchecked_rule_entries(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Return the entries with events of the rules that were not undone, even those that the rules
    refuse: rolls and corrections alone, which no table would have taken.
    """
    line, before = ActiveRows(), dict[int, ActiveRows]()
    for one in entries:
        before[one.seq] = line
        match one.event:
            case Undone(seq):
                line = line.before_row(seq)
            case Redone(seq):
                line = before.get(seq, line)
            case Event():
                line = line.plus(one.seq)
    return tuple(entries[seq - 1] for seq in line)


def _game(entry: Entry) -> Game:
    assert entry.after.game is not None  # replay_rows saw to it
    return entry.after.game


# -- replay ---------------------------------------------------------------------------------------

LOG = click.argument("log", type=InputFile(folder=""))
TABLE = click.option("--table", metavar="ID", help="Which game; by default the newest.")


@click.command("replay", epilog="Example: companion replay game.jsonl")
@LOG
@TABLE
@click.option("--turns", is_flag=True, help="Print the digest after each turn as well.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole position as JSON.")
def replay_log(log: Path, table: str | None, turns: bool, as_json: bool) -> None:
    """Play a saved game again and compare. LOG is a data folder, its database, or a file that
    `companion export` has written. Prints the last position and its digest. The exit status is 1 if
    the rules of today lead to another one.
    """
    rows = read_log(log, table)
    entries = replay_rows(log, rows)
    for end in turn_ends(entries) if turns else ():
        line = msgspec.json.encode(end).decode()
        click.echo(line if as_json else f"{end.turn:4} {end.row:5}  {end.digest}")
    diverged, last = divergence(rows, entries), Position.of(_game(entries[-1]))
    if as_json:
        events = len(rule_entries(entries))
        print_json(ReplayResult(last.game, last.digest(), len(rows), events, diverged))
    else:
        print_position(last)
    if diverged is not None:
        _tell_divergence(diverged)
        raise SystemExit(FAILED)


def turn_ends(entries: tuple[Entry, ...]) -> tuple[TurnEnd, ...]:
    """Return the row that ended each turn; the newest if a turn was undone and played again."""
    ends: dict[int, TurnEnd] = {}
    for one in counted(entries):
        before, after = one.before.game, one.after.game
        if after is None:
            continue
        turn = before.turn.number if before is not None else -1
        if after.turn.number != turn or after.ended is not None:
            number = max(turn, 0)
            ends[number] = TurnEnd(number, one.seq, Position.of(after).digest())
    return tuple(ends.values())


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


# -- audit ----------------------------------------------------------------------------------------


@click.command("audit", epilog="Example: companion audit game.jsonl")
@LOG
@TABLE
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with corrections.")
def audit_log(log: Path, table: str | None, as_json: bool) -> None:
    """List what was forgotten in a game, and what corrects it. LOG is as for `companion replay`."""
    rows = read_log(log, table)
    entries = replay_rows(log, rows)
    diverged, inputs = divergence(rows, entries), rule_entries(entries)
    if diverged is not None and not any(row.digest for row in rows):
        inputs = unchecked_rule_entries(entries)
    elif diverged is not None:  # other rules, which may yet allow all of it
        _tell_divergence(diverged)
    begun = _start_entry(entries)
    inputs = tuple(one for one in inputs if one.seq > begun.seq)
    events = [one.event for one in inputs if isinstance(one.event, Event)]
    try:
        found = with_row_numbers(Position.of(_game(begun)).audit(events), inputs)
    except IllegalEvent as illegal:
        row = inputs[int(illegal.params["event"]) - 1].seq
        reason = refusal(illegal.key, **illegal.params)
        fail("play.illegal", line=row, why=illegal.key, said=reason)
    if as_json:
        print_json(found)
    else:
        _print_audit(found, entries[-1])


def _start_entry(entries: tuple[Entry, ...]) -> Entry:
    """Return the entry in which the game began; if it is lost, the first with a position."""
    begins = (
        one
        for one in reversed(tuple(counted(entries)))
        if one.after.game is not None and not may_be_same_game(one.before.game, one.after.game)
    )
    return next(begins, entries[-1])


def _seat_names(last: Entry) -> tuple[str, ...]:
    setup = last.after.setup
    assert setup is not None  # a game was begun
    return tuple(
        chair.player or sentence("seat.head", count=n) for n, chair in enumerate(setup.seats)
    )


def _print_audit(found: Audit, last: Entry) -> None:
    """Print each difference with its clause and correction, then what no rule asks for."""
    for one in (*found.differences, *found.uncaused):
        click.echo(" ".join(_difference_text(one, last)))
    if not found.differences:
        click.echo(sentence("audit.agrees", count=found.turns))
    else:
        click.echo(sentence("audit.differs", count=len(found.differences)))
    if found.assumed:
        tell("audit.assumed", count=found.assumed)


def _difference_text(one: Difference, last: Entry) -> Iterator[str]:
    rules, seats = rules_of(_game(last)), _seat_names(last)
    yield render(difference_words(one), rules, seats)
    if one.reason is not None:
        why = reason_words(rules, one.reason)
        if why is not None:
            yield render(why, rules, seats)
        yield one.reason.clause
    if one.mend is not None:
        yield f"-> {msgspec.json.encode(one.mend).decode()}"


# -- forecast -------------------------------------------------------------------------------------


@click.command("forecast", epilog="Example: companion forecast g3")
@click.argument("table")
@DATA
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a turn.")
def print_forecast(table: str, data: Path | None, as_json: bool) -> None:
    """Print everybody's chance of winning, turn by turn. TABLE is the game's id, such as g3;
    `companion log check` lists them.
    """
    # Not above: the service starts by this package, and must not load ONNX Runtime.
    from companion.forecast.network import FOLDER, by_turn, forecaster

    folder = games_folder(data)
    entries = replay_rows(folder, read_log(folder, table))
    network = forecaster(resource_dir("models") / FOLDER, _game(entries[-1]).rules)
    turns, names = by_turn(network, turn_positions(entries)), _seat_names(entries[-1])
    for one in turns:
        if as_json:
            print_json(one)
        else:
            click.echo(_chances_text(one, names))
    turned = turning_point(turns)
    if turned is not None and not as_json:
        tell("forecast.turning_point", turn=turned.turn, name=names[turned.seat])


def _chances_text(one: TurnChances, names: tuple[str, ...]) -> str:
    """Return a line: the turn, whose it is, and the chance of each seat."""
    head = sentence("forecast.end") if one.ended else names[one.seat]
    pairs = zip(names, one.chances, strict=True)
    shares = "  ".join(f"{name} {100 * chance:.0f} %" for name, chance in pairs)
    return f"{one.turn:4}  {head:<16}  {shares}"

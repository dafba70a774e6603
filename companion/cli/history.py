"""`companion replay`, `audit` and `forecast`: a log under the rules of today."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from companion.cli.logs import read_log, replay_rows
from companion.cli.options.folders import DATA, games_folder
from companion.cli.options.values import InputFile
from companion.cli.play import print_position
from companion.cli.words import FAILED, refusal, refuse, render, sentence
from companion.engine import AnyEvent, Audit, Difference, Game, IllegalEvent, Position, rules_of
from companion.forecast.messages import TurnChances, turning_point
from companion.records import turn_positions
from companion.resources import resource_dir
from companion.service.views.reasons import is_same_game
from companion.service.views.score_audit import with_row_numbers
from companion.service.views.words import difference_words, reason_words
from companion.table import (
    ActiveRows,
    AheadSaid,
    AnsweredEarly,
    Entry,
    GameStarted,
    Input,
    PhoneFreeSet,
    Redone,
    TableEvent,
    TableSet,
    Undone,
)
from companion.table.database import StoredRow


class TurnEnd(msgspec.Struct, frozen=True):
    """The row that ended a turn (0: the set-up) or the game, and the digest after it."""

    turn: int
    row: int
    digest: str


class Divergence(msgspec.Struct, frozen=True):
    """The first row at which the rules of today disagree with a log.

    `key`: `diverged` where their position has another digest than `claimed`, else why they refuse
    the event; `said`: the same as a sentence; `rules_version`: of the rules that wrote the row.
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
    game = _game(entries[-1])
    if turns:
        for end in turn_ends(entries):
            line = msgspec.json.encode(end).decode()
            click.echo(line if as_json else f"{end.turn:4} {end.row:5}  {end.digest}")
    diverged = divergence(rows, entries)
    if as_json:
        events = len(rule_entries(entries))
        done = ReplayResult(game, Position.of(game).digest(), len(rows), events, diverged)
        click.echo(msgspec.json.encode(done).decode())
    else:
        print_position(Position.of(game))
    if diverged is not None:
        _print_divergence(diverged)
        raise SystemExit(FAILED)


def turn_ends(entries: tuple[Entry, ...]) -> tuple[TurnEnd, ...]:
    """Return the row that ended each turn; the newest where a turn was undone and played again."""
    line = entries[-1].after.line
    ends: dict[int, TurnEnd] = {}
    for one in (entries[seq - 1] for seq in line):
        before, after = one.before.game, one.after.game
        if after is None:
            continue
        turn = before.turn.number if before is not None else -1
        if after.turn.number != turn or after.ended is not None:
            number = max(turn, 0)
            ends[number] = TurnEnd(number, one.seq, Position.of(after).digest())
    return tuple(ends.values())


def divergence(rows: tuple[StoredRow, ...], entries: tuple[Entry, ...]) -> Divergence | None:
    """Return where the rules of today first disagree with the log; None where they never do."""
    one = next((entry for entry in entries if entry.refused is not None), None)
    if one is None or one.refused is None:
        return None
    row, game = rows[one.seq - 1], one.before.game
    return Divergence(
        row=one.seq,
        turn=game.turn.number if game is not None else 0,
        key=one.refused.key.removeprefix("error."),
        said=refusal(one.refused.key.removeprefix("error."), **one.refused.params),
        claimed=row.digest,
        rules_version=row.rules_version,
    )


def rule_entries(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Return the entries that count and hold events of the rules, oldest first."""
    line = (entries[seq - 1] for seq in entries[-1].after.line)
    return tuple(one for one in line if not isinstance(one.event, TableEvent))


def _game(entry: Entry) -> Game:
    assert entry.after.game is not None  # play_rows saw to it
    return entry.after.game


def _print_divergence(diverged: Divergence) -> None:
    words = sentence(
        "replay.diverged",
        row=diverged.row,
        turn=diverged.turn,
        version=diverged.rules_version or "?",
        why=diverged.said,
    )
    click.echo(words, err=True)


# -- audit ------------------------------------------------------------------------------------


@click.command("audit", epilog="Example: companion audit game.jsonl")
@LOG
@TABLE
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with corrections.")
def audit_log(log: Path, table: str | None, as_json: bool) -> None:
    """List what was forgotten in a game, and what corrects it. LOG is as for `companion replay`."""
    rows = read_log(log, table)
    entries = replay_rows(log, rows)
    last, inputs = entries[-1], rule_entries(entries)
    diverged = divergence(rows, entries)
    if diverged is not None and not any(row.digest for row in rows):
        inputs = unchecked_rule_entries(
            entries
        )  # rolls and corrections alone, which no table would have taken
    elif diverged is not None:  # other rules, which may yet allow all of it
        _print_divergence(diverged)
    begun = _start_entry(entries)
    inputs = tuple(one for one in inputs if one.seq > begun.seq)
    try:
        found = Position.of(_game(begun)).audit([_rule_event(one.event) for one in inputs])
    except IllegalEvent as illegal:
        row = inputs[int(illegal.params["event"]) - 1].seq
        reason = refusal(illegal.key, **illegal.params)
        click.echo(sentence("play.illegal", line=row, why=illegal.key, said=reason), err=True)
        raise SystemExit(FAILED) from None
    found = with_row_numbers(found, inputs)
    if as_json:
        click.echo(msgspec.json.encode(found).decode())
    else:
        _print_audit(found, last)


def unchecked_rule_entries(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Return the entries with events of the rules that were not undone, even those that the rules
    refuse.
    """
    line = ActiveRows()
    before: dict[int, ActiveRows] = {}
    for one in entries:
        before[one.seq] = line
        match one.event:
            case Undone(seq):
                line = line.before_row(seq)
            case Redone(seq):
                line = before.get(seq, line)
            case TableSet() | GameStarted() | AheadSaid() | AnsweredEarly():
                pass
            case PhoneFreeSet():
                pass
            case _:
                line = line.plus(one.seq)
    return tuple(entries[seq - 1] for seq in line)


def _start_entry(entries: tuple[Entry, ...]) -> Entry:
    """Return the entry in which the game began; where it is lost, the first with a position."""
    line = [entries[seq - 1] for seq in entries[-1].after.line]
    begins = (one for one in reversed(line) if not is_same_game(one.before.game, one.after.game))
    return next((one for one in begins if one.after.game is not None), entries[-1])


def _seat_names(last: Entry) -> tuple[str, ...]:
    setup = last.after.setup
    assert setup is not None  # a game was begun
    return tuple(
        chair.player or sentence("seat.head", count=n) for n, chair in enumerate(setup.seats)
    )


def _rule_event(event: Input) -> AnyEvent:
    assert not isinstance(event, TableEvent)
    return event


def _print_audit(found: Audit, last: Entry) -> None:
    """Print each difference with its clause and correction, then what no rule asks for."""
    for one in (*found.differences, *found.uncaused):
        click.echo(" ".join(_difference_text(one, last)))
    if not found.differences:
        click.echo(sentence("audit.agrees", count=found.turns))
    else:
        click.echo(sentence("audit.differs", count=len(found.differences)))
    if found.assumed:
        click.echo(sentence("audit.assumed", count=found.assumed), err=True)


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


# -- forecast ---------------------------------------------------------------------------------


@click.command("forecast", epilog="Example: companion forecast g3")
@click.argument("table")
@DATA
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a turn.")
def print_forecast(table: str, data: Path | None, as_json: bool) -> None:
    """Print everybody's chance of winning, turn by turn. TABLE is the game's id, such as g3;
    `companion log check` lists them.
    """
    # Not above: the service starts by this package, and must not load ONNX Runtime.
    from companion.forecast.network import FOLDER, ForecastError, by_turn, forecaster

    folder = games_folder(data)
    entries = replay_rows(folder, read_log(folder, table))
    last = entries[-1]
    try:
        network = forecaster(resource_dir("models") / FOLDER, _game(last).rules)
    except ForecastError as wrong:
        refuse(wrong.key, **wrong.params)
    turns = by_turn(network, turn_positions(entries))
    names = _seat_names(last)
    for one in turns:
        line = msgspec.json.encode(one).decode() if as_json else _chances_text(one, names)
        click.echo(line)
    turned = turning_point(turns)
    if turned is not None and not as_json:
        name = names[turned.seat]
        click.echo(sentence("forecast.turning_point", turn=turned.turn, name=name), err=True)


def _chances_text(one: TurnChances, names: tuple[str, ...]) -> str:
    """Return a line: the turn, whose it is, and the chance of each seat."""
    head = sentence("forecast.end") if one.ended else names[one.seat]
    shares = (
        f"{name} {100 * chance:.0f} %" for name, chance in zip(names, one.chances, strict=True)
    )
    return f"{one.turn:4}  {head:<16}  {'  '.join(shares)}"

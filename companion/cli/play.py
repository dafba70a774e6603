"""`companion play` and `replay`: apply events to a position, or play a saved game again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import click
import msgspec

from companion.cli.options import INPUT_FILE
from companion.cli.words import FAILED, print_json, refusal, refuse, sentence, tell
from companion.engine import (
    BROKEN,
    AnyEvent,
    CardShown,
    Choice,
    Chosen,
    DiceRolled,
    Effect,
    Event,
    Game,
    IllegalEvent,
    Outcome,
    Position,
    PositionError,
    PowerUsed,
    Question,
    Reveal,
    Roll,
    TileShown,
    apply_to_turn_end,
    in_one_line,
    is_turn_end,
    json_mistake,
    read_outcome,
)
from companion.files import refuse_irregular
from companion.records import read_lines
from companion.table import Entry, replay_all
from companion.table.backup import check_log
from companion.table.database import (
    FILE_NAME,
    CannotOpenError,
    StoredRow,
    known_games,
    lacks_journal,
    saved_games,
    saved_rows,
    wal_of,
)
from companion.table.history import AnyTableEvent, TableEvent

TURN_END = "turn-end"
_SHOWN_APART = frozenset(("line", "type", "seat", "source"))
_FOR_THE_ENGINE = frozenset(("seen", "causes"))

Json = dict[str, Any]


@click.command(epilog="Example: companion play position.json events.jsonl --json")
@click.argument("position", type=INPUT_FILE)
@click.argument("events", type=INPUT_FILE)
@click.option(
    "--stop-at",
    type=click.Choice((TURN_END,)),
    help="Stop when the first turn has ended, before the next one's income.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the position and what happened.")
def play(position: Path, events: Path, stop_at: str | None, as_json: bool) -> None:
    """Apply events to a position and print the result. EVENTS is a file with one JSON object a
    line. The exit status is 1 if an event is not allowed.
    """
    stops = stop_at is not None
    try:
        outcome = read_outcome(position.read_bytes(), to_turn_end=stops)
    except PositionError as wrong:
        refuse("error.not_a_position", path=str(position), reason=str(wrong))
    happened, line = list(_effect_rows(0, outcome)), 0
    lines = list(_events(events))
    while lines and not (stops and is_turn_end(outcome.game)):
        line, event = lines.pop(0)
        try:
            now = outcome.position
            outcome = apply_to_turn_end(now, event) if stops else now.apply(event)
        except IllegalEvent as illegal:
            reason = in_one_line(refusal(illegal.key, **illegal.params))
            asked = open_question(outcome.position)
            if as_json:
                row = {"line": line, "key": illegal.key, "said": reason, "event": event}
                print_json({"illegal": {**row, "asked": asked, "happened": happened}})
            words = sentence("play.illegal", line=line, why=illegal.key, said=reason)
            click.echo(f"{words} {_answer_hint(asked)}".rstrip(), err=True)
            raise SystemExit(FAILED) from None
        except BROKEN as broken:  # a step below the question cannot happen
            refuse(
                "error.not_a_position",
                path=str(position),
                reason=f"agenda: its steps cannot happen: {broken}",
            )
        happened += _effect_rows(line, outcome)
    has_stopped = stops and is_turn_end(outcome.game)
    if has_stopped:
        words = sentence("script.turn_end", turn=outcome.game.turn.number, line=line)
        left = f" {sentence('script.left', count=len(lines))}" if lines else ""
        click.echo(words + left, err=True)
        over = read_outcome(msgspec.json.encode(outcome.game))
        if over.game.ended is not None:  # the game ends with this turn: no income follows
            outcome = over
            happened += _effect_rows(line, outcome)
    last = outcome.position
    if as_json:
        found = {"position": last.game, "digest": last.digest(), "asked": _asked(last)}
        stopped = TURN_END if has_stopped else None
        print_json({**found, "happened": happened, "stopped": stopped})
        return
    for each in happened:
        click.echo(_effect_text(each))
    print_position(last)


def _events(path: Path) -> Iterator[tuple[int, AnyEvent]]:
    """Yield the events of a file, each with its line number; end the command at an invalid line."""
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        wrong_text = json_mistake(line)
        try:
            event = msgspec.json.decode(line, type=AnyEvent | AnyTableEvent)
        except (ValueError, RecursionError) as wrong:  # msgspec's errors are ValueErrors
            wrong_text = wrong_text or str(wrong)
        if wrong_text:
            reason = in_one_line(wrong_text)
            refuse("error.not_an_event", path=str(path), line=number, reason=reason)
        if isinstance(event, TableEvent):
            kind = type(event).__name__
            refuse("script.of_a_table", path=str(path), line=number, event=kind)
        yield number, event


# -- what is printed ------------------------------------------------------------------------------


def print_position(position: Position) -> None:
    """Print the position for people: a line for each Monster, what is asked, and the digest."""
    for monster in position.game.monsters:
        click.echo(
            f"{monster.seat}  {monster.health:>2} {monster.stars:>2} {monster.energy:>2}  "
            f"{monster.place or '-'}"
        )
    question = _asked(position)
    if question is not None:
        click.echo(" ".join((f"{question['key']}@{question['seat']}", *question["options"])))
    click.echo(position.digest())


def _asked(position: Position) -> Json | None:
    return None if is_turn_end(position.game) else open_question(position)


def _answer_hint(question: Json | None) -> str:
    if question is None:
        return ""
    asked = f"{question['key']}@{question['seat']}"
    answer = msgspec.json.encode(question["answer"]).decode()
    if question["options"]:
        options = ", ".join(question["options"])
        return sentence("script.asked_options", asked=asked, options=options, answer=answer)
    return sentence("script.asked", asked=asked, answer=answer)


def _effect_rows(line: int, outcome: Outcome[Position]) -> Iterator[Json]:
    """Yield the effects to which a line of the file led (0: the position itself), as JSON without
    default values: those that changed something, and occasions on which somebody may be asked.
    """
    for effect in outcome.performed:
        if not effect.quiet or effect.while_alive:
            yield {"line": line, "type": effect.tag(), **_changed(effect)}


def _changed(effect: Effect) -> Json:
    usual = {each.name: each.default for each in msgspec.structs.fields(effect)}
    shown = {name: getattr(effect, name) for name in usual if name not in _FOR_THE_ENGINE}
    changed = {name: value for name, value in shown.items() if value != usual[name]}
    found: Json = msgspec.to_builtins(changed)
    return found


def _effect_text(row: Json) -> str:
    more = (f"{name} {_plain(value)}" for name, value in row.items() if name not in _SHOWN_APART)
    return f"{row['line']}: {row['type']} {row['seat']} {', '.join(more)}".rstrip()


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, list) else value


# -- what is asked --------------------------------------------------------------------------------


def open_question(position: Position) -> Json | None:
    """Return what the position asks, for scripts; None if the game is over. Seat -1 is the table.

    `answer`: an event that answers it; `offers`: events that use a power now. Of a roll: `dice`,
    their faces (`showing`), and which may be rerolled (`free`). Of a card or tile: its possible
    `names`, and whether `PutOff` is allowed.
    """
    question = position.question
    if question is None:
        return None
    found: Json = {
        "key": question.key,
        "seat": question.seat,
        "options": (),
        "barred": {},
        "answer": answer_to(position, question),
        "offers": tuple(e for e in position.legal_events() if isinstance(e, PowerUsed)),
    }
    match question:
        case Choice(options=options):
            found["options"] = tuple(option.key for option in question.open())
            found["barred"] = {o.key: o.barred for o in options if o.barred}
        case Roll():
            found |= {"dice": question.dice, "showing": question.showing, "free": question.free}
        case Reveal():
            found |= {"names": question.names, "may_put_off": question.skip is not None}
    return found


def answer_to(position: Position, question: Question) -> AnyEvent:
    """Return an event that answers the open question: the first option or name, or a throw."""
    match question:
        case Choice(seat=seat):
            return Chosen(seat, question.open()[0].key)
        case Reveal(slot=slot, names=names):
            name = names[0] if names else None
            return TileShown(name) if slot is None else CardShown(name)
        case Roll():
            return _answering_throw(position, question)


def _answering_throw(position: Position, roll: Roll) -> DiceRolled:
    """Return a throw that ends the rolling, or makes a reroll that is owed."""
    if not roll.showing:
        faces = position.rules.faces
        return DiceRolled(
            tuple(faces[at % len(faces)] for at in range(roll.dice)), (), roll.owed < 2
        )
    if not roll.owed:
        return DiceRolled(roll.showing, (), final=True)
    cheap = min(roll.free, key=lambda die: position.rethrow_price(roll.seat, (roll.showing[die],)))
    return DiceRolled(roll.showing, (cheap,), roll.owed < 2)


# -- replay ----------------------------------------------------------------------------------------

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
    """The result of a replay. `rows`: all of the log; `events`: those of the rules that count."""

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
        if file is path:
            raise
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
        if lacks_journal(file):
            tell("log_notice.incomplete_copy", path=wal_of(file).name)
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


def rule_entries(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Return the entries that count and hold events of the rules, oldest first."""
    line = (entries[seq - 1] for seq in entries[-1].after.active)
    return tuple(one for one in line if isinstance(one.event, Event))


@click.command("replay", epilog="Example: companion replay game.jsonl")
@click.argument("log", type=INPUT_FILE)
@click.option("--table", metavar="ID", help="Which game; by default the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole position as JSON.")
def replay(log: Path, table: str | None, as_json: bool) -> None:
    """Play a saved game again and compare. LOG is a data folder, its database, or a file that
    `companion export` has written. Prints the last position and its digest. The exit status is 1 if
    the rules of today lead to another one.
    """
    rows = read_log(log, table)
    entries = replay_rows(log, rows)
    game = entries[-1].after.game
    assert game is not None  # replay_rows saw to it
    diverged, last = divergence(rows, entries), Position.of(game)
    if as_json:
        events = len(rule_entries(entries))
        print_json(ReplayResult(last.game, last.digest(), len(rows), events, diverged))
    else:
        print_position(last)
    if diverged is not None:
        row, version = diverged.row, diverged.rules_version or "?"
        tell("replay.diverged", row=row, turn=diverged.turn, version=version, why=diverged.said)
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

"""`companion play`: apply events to a position; print what a script needs to continue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypedDict

import click
import msgspec

from companion.cli.options.values import InputFile, OneOf, refuse_unreadable
from companion.cli.words import FAILED, refusal, refuse, sentence
from companion.engine import (
    AnyEvent,
    CardShown,
    Choice,
    Chosen,
    DiceRolled,
    Effect,
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
from companion.table.history import AnyTableEvent, TableEvent

TURN_END = "turn-end"

Json = dict[str, Any]


class OpenQuestion(TypedDict, total=False):
    """What a position asks, for scripts; seat -1 is the table.

    `answer`: an event that answers it; `offers`: events that use a power now. Of a roll: `dice`,
    their faces (`showing`), and which may be rerolled (`free`). Of a card or tile: its possible
    `names`, and whether `PutOff` is allowed.
    """

    key: str
    seat: int
    options: tuple[str, ...]
    barred: dict[str, str]
    answer: AnyEvent
    offers: tuple[PowerUsed, ...]
    dice: int
    showing: tuple[str, ...]
    free: tuple[int, ...]
    names: tuple[str, ...]
    may_put_off: bool


@dataclass
class Playthrough:
    """The position reached while the events of a file are applied, and the effects of each line."""

    outcome: Outcome[Position]
    happened: list[Json] = field(default_factory=list)
    line: int = 0

    @property
    def game(self) -> Game:
        """The game reached so far."""
        return self.outcome.game

    def follow(self, outcome: Outcome[Position], line: int) -> None:
        """Take the outcome of a line; line 0 is the position itself."""
        self.outcome, self.line = outcome, line
        self.happened += (_effect_row(line, effect) for effect in _shown_effects(outcome))


@click.command(epilog="Example: companion play position.json events.jsonl --json")
@click.argument("position", type=InputFile())
@click.argument("events", type=InputFile())
@click.option(
    "--stop-at",
    type=OneOf(TURN_END),
    help="Stop when the first turn has ended, before the next one's income.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the position and what happened.")
def play(position: Path, events: Path, stop_at: str | None, as_json: bool) -> None:
    """Apply events to a position and print the result. EVENTS is a file with one JSON object a
    line. The exit status is 1 if an event is not allowed.
    """
    stops = stop_at is not None
    start = _position(position, stops)
    lines = list(_events(events))
    played = Playthrough(start)
    played.follow(start, 0)
    while lines and not (stops and is_turn_end(played.game)):
        number, event = lines.pop(0)
        try:
            outcome = _apply(played.outcome.position, event, stops)
        except IllegalEvent as illegal:
            _refuse_event(played, number, event, illegal, as_json)
        played.follow(outcome, number)
    ended = stops and is_turn_end(played.game)
    if ended:
        click.echo(_stop_sentence(played, len(lines)), err=True)
        _finish(played)
    _print(played, ended, as_json)


def _events(path: Path) -> Iterator[tuple[int, AnyEvent]]:
    """Yield the events of a file, each with its line number; end the command at an invalid line."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as unreadable:
        refuse_unreadable(path, unreadable)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if wrong_text := json_mistake(line):
            refuse(
                "error.not_an_event", path=str(path), line=number, reason=in_one_line(wrong_text)
            )
        try:
            event: AnyEvent | AnyTableEvent = msgspec.json.decode(
                line, type=AnyEvent | AnyTableEvent
            )
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
            refuse(
                "error.not_an_event", path=str(path), line=number, reason=in_one_line(str(wrong))
            )
        if isinstance(event, TableEvent):
            kind = type(event).__name__
            refuse("script.of_a_table", path=str(path), line=number, event=kind)
        yield number, event


def _apply(position: Position, event: AnyEvent, stops: bool) -> Outcome[Position]:
    return apply_to_turn_end(position, event) if stops else position.apply(event)


def _position(path: Path, stops: bool) -> Outcome[Position]:
    try:
        return read_outcome(path.read_bytes(), to_turn_end=stops)
    except OSError as unreadable:
        refuse_unreadable(path, unreadable)
    except PositionError as wrong:
        refuse("error.not_a_position", path=str(path), reason=str(wrong))


def _finish(played: Playthrough) -> None:
    """Where the game ends with this turn, apply that: no income follows."""
    over = read_outcome(msgspec.json.encode(played.game))
    if over.game.ended is not None:
        played.follow(over, played.line)


# -- what is printed ----------------------------------------------------------------------------


def _print(played: Playthrough, stopped: bool, as_json: bool) -> None:
    position = played.outcome.position
    if as_json:
        question = None if is_turn_end(position.game) else open_question(position)
        row: Json = {"position": position.game, "digest": position.digest(), "asked": question}
        row["happened"] = played.happened
        row["stopped"] = TURN_END if stopped else None
        click.echo(msgspec.json.encode(row).decode())
        return
    for each in played.happened:
        click.echo(_effect_text(each))
    print_position(position)


def print_position(position: Position) -> None:
    """Print the position for people: a line for each Monster, what is asked, and the digest."""
    for monster in position.game.monsters:
        click.echo(
            f"{monster.seat}  {monster.health:>2} {monster.stars:>2} {monster.energy:>2}  "
            f"{monster.place or '-'}"
        )
    question = None if is_turn_end(position.game) else open_question(position)
    if question is not None:
        click.echo(" ".join((f"{question['key']}@{question['seat']}", *question["options"])))
    click.echo(position.digest())


def _refuse_event(
    played: Playthrough, line: int, event: AnyEvent, illegal: IllegalEvent, as_json: bool
) -> NoReturn:
    """End the command at the first event that the rules do not allow (exit 1)."""
    reason = in_one_line(refusal(illegal.key, **illegal.params))
    question = open_question(played.outcome.position)
    if as_json:
        row: Json = {
            "line": line,
            "key": illegal.key,
            "said": reason,
            "event": event,
            "asked": question,
        }
        row["happened"] = played.happened
        click.echo(msgspec.json.encode({"illegal": row}).decode())
    words = sentence("play.illegal", line=line, why=illegal.key, said=reason)
    click.echo(f"{words} {_answer_hint(question)}".rstrip(), err=True)
    raise SystemExit(FAILED) from None


def _answer_hint(question: OpenQuestion | None) -> str:
    """Return a sentence with what is asked and an answer to it."""
    if question is None:
        return ""
    key, answer = (
        f"{question['key']}@{question['seat']}",
        msgspec.json.encode(question["answer"]).decode(),
    )
    if question["options"]:
        options = ", ".join(question["options"])
        return sentence("script.asked_options", asked=key, options=options, answer=answer)
    return sentence("script.asked", asked=key, answer=answer)


def _stop_sentence(played: Playthrough, left: int) -> str:
    words = sentence("script.turn_end", turn=played.game.turn.number, line=played.line)
    return f"{words} {sentence('script.left', count=left)}" if left else words


def _shown_effects(outcome: Outcome[Position]) -> Iterator[Effect]:
    """Yield the effects that changed something, and the occasions on which somebody may be asked
    something.
    """
    return (effect for effect in outcome.performed if not effect.quiet or effect.while_alive)


def _effect_row(line: int, effect: Effect) -> Json:
    """Return an effect as JSON without default values, with the line of the file that led to it."""
    usual = {each.name: each.default for each in msgspec.structs.fields(effect)}
    fields = (name for name in effect.__struct_fields__ if getattr(effect, name) != usual[name])
    shown = {name: getattr(effect, name) for name in fields if name not in _FOR_THE_ENGINE}
    return {"line": line, "type": effect.tag(), **msgspec.to_builtins(shown)}


def _effect_text(row: Json) -> str:
    """Return the same for people."""
    more = (f"{name} {_plain(value)}" for name, value in row.items() if name not in _SHOWN_APART)
    return f"{row['line']}: {row['type']} {row['seat']} {', '.join(more)}".rstrip()


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, list) else value


_SHOWN_APART = frozenset(("line", "type", "seat", "source"))
_FOR_THE_ENGINE = frozenset(("seen", "causes"))


# -- what is asked --------------------------------------------------------------------------------


def open_question(position: Position) -> OpenQuestion | None:
    """Return what the position asks, with an answer to it; None where the game is over."""
    question = position.question
    if question is None:
        return None
    found: OpenQuestion = {
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

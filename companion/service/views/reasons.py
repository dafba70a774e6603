"""Why a Monster's number is what it is: the engine's reasons, as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from companion.engine import (
    BROKEN,
    CORRECTION,
    LIMIT,
    LOOKED_UP,
    RULE,
    START,
    Damage,
    Eliminate,
    Event,
    Face,
    Game,
    Happening,
    IllegalEvent,
    Number,
    Outcome,
    Position,
    Quantity,
    Reason,
    Ruleset,
    Seat,
    concerns,
)
from companion.service.requests import Why, WhyAnswer
from companion.service.views.news import BY_ABILITY
from companion.service.views.preview import drastic_values
from companion.service.wire import Args, Words
from companion.table import Input, RefusedError, Snapshot

BY_EFFECT = {
    START: "why.start",
    CORRECTION: "why.corrected",
    RULE: "why.rule",
    LIMIT: "why.limit",
    Eliminate.__name__: "why.out",
}
"""Sentences of causes that are not abilities."""
BY_FACE = {Face.ATTACK: "why.attack", Face.OUCH: "why.ouch"}
"""Sentences of faces that deal damage."""


def why(snapshot: Snapshot, seat: int, what: str, card: str = "") -> WhyAnswer:
    """Return the reasons for a number of a seat: a `Number`, or a quantity (`LOOKED_UP`). `card`:
    the card's name, for `price` alone. RefusedError if there is no such number.
    """
    position = snapshot.state.game_position()
    if not 0 <= seat < len(position.game.monsters):
        raise RefusedError("error.no_such_seat", seat=seat)
    reasons = _reasons(snapshot, position, Seat(seat), what, card)
    rows = tuple(_reason_view(position.rules, reason) for reason in reasons)
    drastic = drastic_values(position, Seat(seat), Number(what)) if what in set(Number) else ()
    value = rows[-1].total if rows else 0
    return WhyAnswer(seat=seat, what=what, value=value, rows=rows, drastic=drastic)


def _reasons(
    snapshot: Snapshot, position: Position, seat: Seat, what: str, card: str
) -> tuple[Reason, ...]:
    """Return the engine's reasons for a number of a Monster, or for a quantity looked up."""
    if what in set(Number):
        steps = _steps(snapshot)
        begun = max(
            n for n, step in enumerate(steps) if not may_be_same_game(step.before, step.after)
        )
        start = steps[begun].after
        assert start is not None  # the last game has begun
        happened = _replay_steps(steps[begun + 1 :], seat)
        return Position.of(start).explain(happened, seat, Number(what))
    quantity = next((one for one in LOOKED_UP if one == what), None)
    names = position.rules.cards
    if quantity is None or (quantity is Quantity.PRICE) != (card in names):
        raise RefusedError("error.no_such_number", number=what)
    return position.explain_quantity(seat, quantity, card)


@dataclass(frozen=True, slots=True)
class _Step:
    """A step from one position of the game to the next; `record`: the row's event; None for
    a jump between stored positions that no counted row explains.
    """

    seq: int
    before: Game | None
    after: Game | None
    record: Input | None = None


def _steps(snapshot: Snapshot) -> list[_Step]:
    """Return the rows that count, oldest first, and the gaps between them."""
    steps: list[_Step] = []
    known: Game | None = None
    for entry in (snapshot.entries[seq - 1] for seq in snapshot.state.active):
        before, after = entry.before.game, entry.after.game
        if before is not known:
            steps.append(_Step(entry.seq, known, before))
        steps.append(_Step(entry.seq, before, after, entry.event))
        known = after
    if known is not snapshot.state.game:
        steps.append(_Step(snapshot.rev, known, snapshot.state.game))
    return steps


def may_be_same_game(before: Game | None, after: Game | None) -> bool:
    """Whether both may be positions of one game: of the same rules and number of Monsters. If its
    first row is lost, a game starts with the first position that the log has.
    """
    if before is None or after is None:
        return False
    return (before.rules, len(before.monsters)) == (after.rules, len(after.monsters))


def _replay_steps(steps: Iterable[_Step], seat: Seat) -> Iterator[Happening]:
    """Apply again the events of the steps that concern the seat. If the current rules disagree with
    the log, the log's position counts as set by hand.
    """
    for step in steps:
        assert step.before is not None
        assert step.after is not None
        if not concerns(step.before, step.after, seat):
            continue
        before, after = Position.of(step.before), Position.of(step.after)
        outcome = stored = Outcome(after)
        if isinstance(step.record, Event):
            with suppress(IllegalEvent, *BROKEN):
                outcome = before.apply(step.record)
        yield Happening(step.seq, before, outcome if outcome.position == after else stored)


def _reason_view(rules: Ruleset, reason: Reason) -> Why:
    return Why(
        seq=reason.event,
        turn=reason.turn,
        words=_reason_words(rules, reason),
        delta=reason.delta,
        total=reason.total,
        clause=reason.clause or None,
        notes=tuple(_note_words(rules, reason)),
    )


def _reason_words(rules: Ruleset, reason: Reason) -> Words:
    """Return the reason as a short line; `other` is the Monster that caused it."""
    args: Args = {} if reason.other is None else {"other": reason.other}
    of = "" if reason.other is None else ".of"
    if reason.card in rules.cards:
        return Words(key=f"why.card{of}", args={**args, "card": reason.card})
    if reason.card in rules.tokens:
        return Words(key="why.token", args={"token": reason.card})
    if reason.card:
        return Words(key="why.condition", args=args)
    if reason.face is not None:
        hurts = reason.effect == Damage.__name__
        key = BY_FACE.get(reason.face, "why.dice") if hurts else "why.dice"
        return Words(key=key, args={**args, "face": reason.face.value})
    if reason.ability == "shopping":
        return Words(key="why.bought" if reason.about else "why.swept", args=_subject_args(reason))
    key = BY_EFFECT.get(reason.effect) or BY_ABILITY.get(reason.ability, "why.rule")
    return Words(key=key, args={**args, **_subject_args(reason)})


def _subject_args(reason: Reason) -> Args:
    """Return the subject under each parameter name that a sentence may use."""
    names = ("card", "tile", "place") if reason.about else ()
    return dict.fromkeys(names, reason.about)


def _note_words(rules: Ruleset, reason: Reason) -> Iterator[Words]:
    """Yield the cards that changed the amount, then the card that led to it."""
    for one in reason.treated:
        if one.by.card in rules.cards:
            args: Args = {"card": one.by.card, "was": one.before, "made": one.after}
            yield Words(key="why.made", args=args)
    led = [cause.card for cause in reason.led if cause.card in rules.cards]
    if led and led[-1] != reason.card:
        yield Words(key="why.led", args={"card": led[-1]})

"""Why a number is what it is: the engine's reasons in words, asked of the log as it counts now."""

from __future__ import annotations

from collections.abc import Iterator

from companion.engine import (
    CORRECTION,
    LIMIT,
    LOOKED_UP,
    RULE,
    START,
    Damage,
    Eliminate,
    Event,
    Face,
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
from companion.service.exchange import Why, WhyAnswer
from companion.service.wire import Args, Words
from companion.table import Entry, GameStarted, RefusedError, Snapshot

BY_EFFECT = {
    START: "why.start",
    CORRECTION: "why.corrected",
    RULE: "why.rule",
    LIMIT: "why.limit",
    Eliminate.__name__: "why.out",
}
"""What needs no ability to be said."""
BY_ABILITY = {
    "income": "why.income",
    "entered": "why.entered",
    "building_reward": "why.destroyed",
    "unit_reward": "why.destroyed",
    "statue_stars": "why.card",
    "leaves": "why.left",
    "trim": "why.left",
    "roll": "why.rerolled",
    "may_flee": "why.toll",
    "move": "why.toll",
    "where_to": "why.toll",
}
"""What the rules themselves do to numbers."""
BY_FACE = {Face.ATTACK: "why.attack", Face.OUCH: "why.ouch"}
"""Groups of dice that hurt."""


def why(snapshot: Snapshot, seat: int, what: str, card: str = "") -> WhyAnswer:
    """Why a number of a seat is what it is: one of `Number`, or looked up (`LOOKED_UP`), of which
    `price` needs the name of a card. RefusedError where there is no such number.
    """
    position = snapshot.state.position
    if position is None:
        raise RefusedError("error.not_started", outdated=True)
    if not 0 <= seat < len(position.game.monsters):
        raise RefusedError("error.no_such_seat", seat=seat)
    reasons = _reasons(snapshot, position, Seat(seat), what, card)
    rows = tuple(_row(position.rules, reason) for reason in reasons)
    return WhyAnswer(seat=seat, what=what, value=rows[-1].total if rows else 0, rows=rows)


def _reasons(
    snapshot: Snapshot, position: Position, seat: Seat, what: str, card: str
) -> tuple[Reason, ...]:
    if what in set(Number):
        played = [snapshot.entries[seq - 1] for seq in snapshot.state.line]
        begun = next(entry for entry in played if isinstance(entry.event, GameStarted))
        start = begun.after.position
        assert start is not None  # the game has just begun
        return start.explain(_happened(played, seat), seat, Number(what))
    quantity = next((one for one in LOOKED_UP if one == what), None)
    names = position.rules.cards
    if quantity is None or (quantity is Quantity.PRICE) != (card in names):
        raise RefusedError("error.no_such_number", number=what)
    return position.explain_quantity(seat, quantity, card)


def _happened(played: list[Entry], seat: Seat) -> Iterator[Happening]:
    """The rows that count and tell something of the seat, carried out again on what they were said
    to; where the rules of today disagree with the log, what the log says was set by hand.
    """
    for entry in played:
        former, later = entry.before.game, entry.after.game
        if former is None or later is None or not isinstance(entry.event, Event):
            continue
        if not concerns(former, later, seat):
            continue
        before, after = Position.of(former), Position.of(later)
        stored = Outcome(after)
        try:
            outcome = before.apply(entry.event)
        except IllegalEvent:
            outcome = stored
        yield Happening(entry.seq, before, outcome if outcome.position == after else stored)


def _row(rules: Ruleset, reason: Reason) -> Why:
    return Why(
        seq=reason.event,
        turn=reason.turn,
        words=_words(rules, reason),
        delta=reason.delta,
        total=reason.total,
        clause=reason.clause or None,
        notes=tuple(_notes(rules, reason)),
    )


def _words(rules: Ruleset, reason: Reason) -> Words:
    """The reason as a short line; `other` is whose deed it is."""
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
        return Words(key="why.bought" if reason.about else "why.swept", args=_about(reason))
    key = BY_EFFECT.get(reason.effect) or BY_ABILITY.get(reason.ability, "why.rule")
    return Words(key=key, args={**args, **_about(reason)})


def _about(reason: Reason) -> Args:
    """The thing it is about, in every gap that may name it."""
    names = ("card", "tile", "place") if reason.about else ()
    return dict.fromkeys(names, reason.about)


def _notes(rules: Ruleset, reason: Reason) -> Iterator[Words]:
    """What made the amount larger or smaller, then whose doing led there."""
    for one in reason.treated:
        if one.by.card in rules.cards:
            args: Args = {"card": one.by.card, "was": one.before, "made": one.after}
            yield Words(key="why.made", args=args)
    led = [cause.card for cause in reason.led if cause.card in rules.cards]
    if led and led[-1] != reason.card:
        yield Words(key="why.led", args={"card": led[-1]})

"""Sentences of single effects: moves, cards, tiles, tokens, dice, who is out and who wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion import engine
from companion.engine import (
    TABLE,
    AddCounters,
    AddSymbols,
    BuyCard,
    Convert,
    CopyCard,
    DestroyUnit,
    DieChanged,
    DrawCard,
    DropCard,
    Eliminate,
    EndGame,
    Game,
    GiveTokens,
    HandOver,
    How,
    MoreRolls,
    MoveTo,
    MoveUnit,
    RemoveTokens,
    Ruleset,
    Seat,
    SmashBuilding,
    SpendCounters,
    StartAgain,
    SweepShop,
    TakeCard,
    TakeFromDiscards,
    TakeGoal,
    WinExtraTurn,
)
from companion.service.views.news.causes import cause_words
from companion.service.views.news.steps import Step
from companion.service.wire import Args, Cause, Words

MOVES = {
    How.PLACED: "happened.starts",
    How.ENTER: "happened.enters",
    How.MOVE: "happened.moves",
    How.ADVANCE: "happened.advances",
    How.SLIDE: "happened.slides",
    How.BY_HAND: "happened.moves",
}
"""Sentences of moves that name only where to."""

Sentence = tuple[str, Words, tuple[Cause, ...]]
"""Sign, sentence and clauses."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What is said with an effect: what it brought its Monster, and the energy paid for it."""

    clauses: tuple[Cause, ...]
    paid: int


def sentence_of(step: Step, steps: Sequence[Step], brought: Brought) -> Sentence | None:
    """Return the sentence of an effect that is no number; None where nobody would say it.
    `steps`: all of its command.
    """
    effect, position = step.effect, step.event.before
    seat: Args = {"seat": effect.seat}
    why = _why(step)
    match effect:
        case MoveTo():
            return "pin", _move_words(position.rules, effect), brought.clauses
        case Eliminate():
            return "skull", Words(key="happened.out", args=seat), ()
        case StartAgain():
            return "paw", Words(key="happened.again", args=seat), why
        case EndGame(winners=winners, reason=reason):
            return "crown", _winner_words(step.event.outcome.game, winners, reason), ()
        case SmashBuilding(name=name) | DestroyUnit(kind=name):
            words = Words(key="happened.destroys", args={**seat, "tile": str(name)})
            return "destruction", words, brought.clauses
        case TakeGoal(name=name, former=former):
            args: Args = {**seat, "card": name, "other": former}
            key = "happened.takes" if former == TABLE else "happened.takes_from"
            return "crown", Words(key=key, args=args), brought.clauses
        case BuyCard(name=name):
            args = {**seat, "card": name, "count": brought.paid}
            return "cards", Words(key="happened.buys", args=args), brought.clauses
        case SweepShop():
            args = {**seat, "count": brought.paid}
            return "sweep", Words(key="happened.sweeps", args=args), ()
        case DropCard(card=card, name=name):
            if any(isinstance(s.effect, BuyCard) and s.effect.card == card for s in steps):
                return None
            return "cards", Words(key="happened.discards", args={**seat, "card": name}), why
        case CopyCard(of=of, name=name):
            if of is None:
                return None
            return "cards", Words(key="happened.copies", args={**seat, "card": name}), why
        case TakeCard(card=card, name=name):
            owned = next((c for c in position.game.in_play.cards if c.id == card), None)
            former = owned.owner if owned is not None else TABLE
            args = {**seat, "card": name, "other": former}
            key = "happened.takes" if former == TABLE else "happened.takes_from"
            return "cards", Words(key=key, args=args), why
        case TakeFromDiscards(name=name):
            return "cards", Words(key="happened.salvages", args={**seat, "card": name}), why
        case DrawCard(name=name):
            return "cards", Words(key="happened.draws", args={**seat, "card": name}), why
        case WinExtraTurn():
            return "redo", Words(key="happened.extra_turn", args=seat), why
    return _lesser(step, why)


def _lesser(step: Step, why: tuple[Cause, ...]) -> Sentence | None:
    """Return the same for tokens, dice, Units that move, and energy handed over."""
    effect = step.effect
    args: Args = {"seat": effect.seat}
    if hasattr(effect, "amount"):
        args["count"] = int(effect.amount)
    match effect:
        case HandOver(to=to):
            return "energy", Words(key="happened.gives", args={**args, "other": to}), why
        case GiveTokens(token=token) | RemoveTokens(token=token):
            key = "happened.tokens" if isinstance(effect, GiveTokens) else "happened.tokens_off"
            return "hand", Words(key=key, args={**args, "token": token.value}), why
        case AddCounters(name=name) | SpendCounters(name=name):
            on = isinstance(effect, AddCounters)
            key = "happened.counters" if on else "happened.counters_off"
            return "cards", Words(key=key, args={**args, "card": name}), ()
        case AddSymbols(face=face):
            words = Words(key="happened.symbols", args={**args, "face": face.value})
            return "dice", words, why
        case DieChanged(face=face, card=card):
            owned = step.event.before.card(engine.CardId(card))
            by = Words(key="why.card", args={"card": owned.name}) if owned else None
            words = Words(key="happened.die", args={**args, "face": face.value})
            return "dice", words, (Cause(words=by),) if by else ()
        case MoreRolls():
            return "dice", Words(key="happened.more_rolls", args=args), why
        case Convert(face=face, into=into):
            args |= {"face": face.value, "into": into.value}
            return "dice", Words(key="happened.converts", args=args), why
        case MoveUnit(kind=kind, area=area):
            args |= {"unit": kind.value, "place": area}
            return kind.value, Words(key="happened.sends", args=args), why
    return None


def _why(step: Step) -> tuple[Cause, ...]:
    """Return the card or token behind an effect; nothing where it is the rules."""
    words = cause_words(step.event.before.rules, step.effect, step.origin)
    return (Cause(words=words),) if words.key in {"why.card", "because.token"} else ()


def _move_words(rules: Ruleset, effect: MoveTo) -> Words:
    """Return the sentence of a move: who, where to, and from where if that matters."""
    args: Args = {"seat": effect.seat, "place": effect.place}
    if effect.how not in {How.FLEE, How.LEAVE} or effect.former is None:
        return Words(key=MOVES.get(effect.how, "happened.moves"), args=args)
    only = sum(not one.inside for one in rules.places.values()) == 1
    verb = "flees" if effect.how is How.FLEE else "leaves"
    key = f"happened.{verb}" if only else f"happened.{verb}_to"
    return Words(key=key, args={**args, "from": effect.former})


def _winner_words(game: Game, winners: tuple[Seat, ...], reason: str) -> Words:
    """Return the sentence of who won and how; several winners share it."""
    if not winners:
        return Words(key="happened.nobody")
    if len(winners) > 1:
        shared: Args = {f"winner_{n}": seat for n, seat in enumerate(winners[:2], start=1)}
        return Words(key="happened.shared", args=shared)
    stars = game.monsters[winners[0]].stars
    return Words(key=f"happened.wins.{reason}", args={"seat": winners[0], "count": stars})

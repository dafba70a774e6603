"""Powers that their owners may use now."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

from msgspec.structs import replace

from companion.engine import (
    Change,
    Choice,
    Chosen,
    DiceRolled,
    Face,
    Game,
    IllegalEvent,
    Position,
    PowerUsed,
    RethrowDie,
    Roll,
)
from companion.service import wire
from companion.service.wire import Args, Words


def offer_views(position: Position) -> tuple[wire.Offer, ...]:
    """Return every open offer, with what using it does."""
    return tuple(
        wire.Offer(
            ref=offer.ref,
            seat=offer.seat,
            label=_label(offer.name, offer.seat, offer.card),
            card=offer.card or None,
            consequence=position.consequences(PowerUsed(offer.seat, offer.ref)),
        )
        for offer in position.offers()
    )


def power_label(game: Game | None, ref: str) -> Words:
    """Return the name of the power: its ability, with the card that carries it."""
    if game is None:
        return Words(key="offer.unknown")
    now = Position.of(game)
    entry = now.index.by_ref.get(ref)
    if entry is None:
        return Words(key="offer.unknown")
    card = now.card(entry.card) if entry.card is not None else None
    return _label(entry.ability.name, entry.seat, card.name if card is not None else "")


def _label(name: str, seat: int, card: str) -> Words:
    args: Args = {"seat": seat, "card": card} if card else {"seat": seat}
    return Words(key=f"offer.{name}", args=args)


def with_odds(view: wire.Question, position: Position) -> wire.Question:
    """Add the dice, what they lead to and what throwing one again can bring, where the asked seat
    may have that done; the price of it is the offer's.
    """
    ways = _rethrowable(position)
    if not ways:
        return view
    lying, known = position.game.turn.faces, dict[tuple[Face, ...], tuple[Change, ...]]()

    def leads_to(faces: tuple[Face, ...]) -> tuple[Change, ...]:
        alike = tuple(sorted(faces))
        if alike not in known:
            known[alike] = _changes(position, faces)
        return known[alike]

    odds = []
    for ref, option, die in ways:
        found: dict[tuple[tuple[Change, ...], tuple[str, ...]], list[Face]] = {}
        thrown = _thrown(position, ref, option)
        for face in position.rules.faces:
            then = (*lying[:die], face, *lying[die + 1 :])
            loses = () if thrown is None else _lost(thrown, face)
            found.setdefault((leads_to(then), loses), []).append(face)
        outcomes = sorted(found.items(), key=lambda one: -len(one[1]))
        of = len(position.rules.faces)
        rows = tuple(
            wire.Outcome(len(some), of, tuple(some), what, loses)
            for (what, loses), some in outcomes
        )
        odds.append(wire.DieOdds(die=die, face=lying[die], outcomes=rows, option=option, ref=ref))
    return replace(view, lying=lying, as_it_lies=leads_to(lying), odds=tuple(odds))


def _rethrowable(position: Position) -> tuple[tuple[str, str, int], ...]:
    """Return the final dice that the asked seat may have thrown again, each with the power to use
    first, "" where none is, and the answer: to the open question, or to the one that the power
    leads to.
    """
    asked = position.question
    if not isinstance(asked, Choice) or not position.game.turn.faces:
        return ()
    found = _thrown_by(asked, "")
    if found or asked.window != "dice_final":
        return found
    for offer in position.offers():
        if offer.seat != asked.seat:
            continue
        try:
            then = position.apply(PowerUsed(offer.seat, offer.ref)).position.question
        except IllegalEvent:
            continue
        if isinstance(then, Choice) and (found := _thrown_by(then, offer.ref)):
            return found
    return ()


def _thrown_by(question: Choice, ref: str) -> tuple[tuple[str, str, int], ...]:
    return tuple(
        (ref, option.key, step.die)
        for option in question.open()
        for step in option.steps
        if isinstance(step, RethrowDie)
    )


def _thrown(position: Position, ref: str, option: str) -> Position | None:
    """Return the position in which the die is thrown; None where something else is asked first."""
    with suppress(IllegalEvent):
        assert position.question is not None  # a choice, whose options these are
        seat = position.question.seat
        if ref:
            position = position.apply(PowerUsed(seat, ref)).position
        position = position.apply(Chosen(seat, option)).position
        if isinstance(position.question, Roll) and position.question.dice == 1:
            return position
    return None


def _lost(thrown: Position, face: Face) -> tuple[str, ...]:
    """Return the cards that who has the die thrown does not keep where it shows this face."""
    asked = thrown.question
    assert isinstance(asked, Roll)
    with suppress(IllegalEvent):
        after = thrown.apply(DiceRolled((face,), final=True)).position
        return tuple((_cards(thrown, asked.seat) - _cards(after, asked.seat)).elements())
    return ()


def _cards(position: Position, seat: int) -> Counter[str]:
    return Counter(card.name for card in position.game.in_play.cards if card.owner == seat)


def _changes(position: Position, faces: tuple[Face, ...]) -> tuple[Change, ...]:
    """Return what all groups of these dice change together."""
    first: dict[tuple[int, str], Change] = {}
    for row in position.preview(faces).rows:
        for change in row.changes:
            key = (change.seat, change.what.value)
            before = first[key].before if key in first else change.before
            first[key] = Change(change.seat, change.what, before, change.after)
    return tuple(first[key] for key in sorted(first) if first[key].before != first[key].after)

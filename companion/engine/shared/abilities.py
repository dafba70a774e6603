"""How abilities are written: decorators, and what cards of several games are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TypeVar

from msgspec.structs import replace

from companion.engine.abilities import (
    Ability,
    Instead,
    Modifies,
    Offers,
    Quantity,
    Query,
    Stage,
    Whenever,
    Where,
)
from companion.engine.base_position import My
from companion.engine.effects import Effect
from companion.engine.effects.cards import CardArrived, DropCard, WinExtraTurn
from companion.engine.effects.numbers import (
    Damage,
    GainEnergy,
    GainStars,
    GiveTokens,
    Heal,
    RemoveTokens,
    SpendEnergy,
)
from companion.engine.effects.sources import Mark, Ref
from companion.engine.effects.turn import Ask, DieChanged, ResolveFace, TurnStarted
from companion.engine.game import Step, Together
from companion.engine.questions import Answer, Choice, Option
from companion.engine.ruleset import Card
from companion.engine.values import CardKind, Clause, Face, Seat, Token, UnitKind

# -- decorators that make a function an ability, named after itself --------------------------------


E = TypeVar("E", bound=Effect)


When = Callable[[My, E], bool]
"""Which effects an ability answers: a condition that many of them share."""


def instead_of(
    on: type[E],
    stage: Stage = Stage.PREVENT,
    *,
    mine: bool = False,
    when: When[E] | None = None,
    clause: Clause = "",
) -> Callable[[Callable[[My, E], Answer]], Instead]:
    """Make the function a replacing ability, named after itself; called if `when` holds."""
    return lambda steps: Instead(
        on, _only(when, steps), stage, steps.__name__, mine=mine, clause=clause
    )


def whenever(
    on: type[E],
    *,
    once: bool = False,
    active_last: bool = False,
    at_once: bool = False,
    mine: bool = False,
    when: When[E] | None = None,
    clause: Clause = "",
) -> Callable[[Callable[[My, E], Answer]], Whenever]:
    """Make the function a following ability, named after itself; called if `when` holds."""
    return lambda steps: Whenever(
        on, _only(when, steps), steps.__name__, once, active_last, at_once, mine, clause=clause
    )


def modifies(
    quantity: Quantity, where: Where = Where.OWNED, *, mine: bool = False, clause: Clause = ""
) -> Callable[[Callable[[My, Query, int], int]], Modifies]:
    """Make the function a modifier, named after itself."""
    return lambda by: Modifies(quantity, by, by.__name__, where, mine, clause)


def offers(
    available: Callable[[My], bool], *, window: str = "", waits: bool = False, clause: Clause = ""
) -> Callable[[Callable[[My], Answer]], Offers]:
    """Make the function a power, named after itself."""
    return lambda steps: Offers(steps.__name__, available, steps, window, waits, clause=clause)


def _only(when: When[E] | None, steps: Callable[[My, E], Answer]) -> Callable[[My, E], Answer]:
    """Return what the function answers if the condition holds, else nothing."""
    if when is None:
        return steps

    @wraps(steps)
    def answer(my: My, effect: E) -> Answer:
        return steps(my, effect) if when(my, effect) else None

    return answer


# -- abilities that many cards share, and the rows a card table is made of -------------------------


Leaving = Callable[[Seat], tuple[Step, ...]]


MANY = 999
"""Of tokens on a card: as many as there come to be."""


def keep(
    name: str,
    cost: int,
    *abilities: Ability,
    copies: int = 1,
    leaving: Leaving | None = None,
    most: int = 0,
    copier: bool = False,
) -> Card:
    """A card that stays in front of its owner (NY-15.3, TK-12.2); `most`: tokens on it."""
    kind = CardKind.KEEP
    return Card(
        name, cost, kind, abilities, copies=copies, leaving=leaving, tokens=most, copier=copier
    )


def discard(
    name: str, cost: int, *abilities: Ability, district: tuple[str, ...] = (), copies: int = 1
) -> Card:
    """A card that works once, when it is bought (NY-15.3, TK-12.2)."""
    return Card(name, cost, CardKind.DISCARD, abilities, district, copies)


def goal(name: str) -> Card:
    """A card won with dice, never bought (NY-2.1)."""
    return Card(name, 0, CardKind.GOAL)


def card_table(*cards: Card) -> dict[str, Card]:
    """Make the table of a game's cards: by their ids, A–Z.

    No card names two abilities alike: a position tells them apart by name.
    """
    for card in cards:
        names = [ability.name for ability in card.abilities]
        if len(set(names)) != len(names):
            raise ValueError(f"{card.name}: two abilities are called alike: {names}")
    return {card.name: card for card in sorted(cards, key=lambda card: card.name)}


def arrives(my: My, arrived: CardArrived) -> bool:
    """Whether it is this very card that begins to work, as itself or as what it copies."""
    return arrived.card == my.card_id and arrived.seat == my.seat


def my_attack(my: My, hurt: Damage) -> bool:
    """Whether the damage is of an attack of the owner."""
    return hurt.by_attack and hurt.dealer == my.seat


def my_deed(my: My, effect: Effect) -> bool:
    """Whether it is the owner's doing."""
    return effect.doer == my.seat


def my_deed_to_another(my: My, effect: Effect) -> bool:
    """Whether it is the owner's doing, to another Monster."""
    return effect.doer == my.seat != effect.seat


def to_another(my: My, effect: Effect) -> bool:
    """Whether it happens to another Monster than the owner's."""
    return effect.seat != my.seat


def gains(*, stars: int = 0, energy: int = 0, health: int = 0) -> Whenever:
    """When bought: stars, energy and health for the buyer (NY-15.4, TK-12.3)."""
    return bought(gain(stars=stars, energy=energy, health=health))


def damage_everyone(my: My, amount: int) -> Together:
    """The same damage to every living Monster at once, dealt by the owner;
    not an attack (NY-15.7, TK-7.6).
    """
    seats: Iterable[Seat] = my.position.clockwise(my.seat)
    return Together(tuple(Damage(s, amount, my.seat) for s in seats if my.position.is_alive(s)))


def wounded_get(token: Token) -> Whenever:
    """Each other Monster the owner damages gets one token an occasion (H33), whatever the same blow
    does to the card (H34).
    """

    @whenever(Damage, at_once=True, when=my_deed_to_another)
    def mark_the_wounded(my: My, hurt: Damage) -> Answer:
        ref = Ref.of_card(my.card_id, "mark_the_wounded")
        mark = Mark(ref, seat=hurt.seat, clock=occasion(my, hurt))
        return GiveTokens(hurt.seat, 1, token, str(mark))

    return mark_the_wounded


def occasion(my: My, hurt: Damage) -> int:
    """Return the clock of the damage that began it all: what damage sets off is one occasion with
    it (H33). Only for abilities that answer at once.
    """
    return hurt.occasion or my.game.clock


def amount_options(
    numbers: Iterable[int], steps: Callable[[int], tuple[Step, ...]], face: Face | None = None
) -> tuple[Option, ...]:
    """Return one option for each number: that many are used."""
    return tuple(Option("use", steps(k), count=k, face=face) for k in numbers)


def spend_on_tokens(my: My, group: ResolveFace, token: Token) -> Answer:
    """Ask how many of these symbols take tokens off instead of doing what they do."""
    most = min(group.amount, my.position.tokens(my.seat, token))
    options = amount_options(
        range(most + 1),
        lambda k: (RemoveTokens(my.seat, k, token), replace(group, amount=group.amount - k)),
        group.face,
    )
    about = (("token", token.value), ("amount", group.amount))
    return Choice(my.seat, "use_on_tokens", options, window="group", about=about)


def bought(*steps: Callable[[My], tuple[Step, ...]]) -> Whenever:
    """When bought: these steps in order, each worked out as the game stands then."""

    @whenever(CardArrived, mine=True, when=arrives)
    def when_bought(my: My, arrived: CardArrived) -> Answer:
        return tuple(step for make in steps for step in make(my))

    return when_bought


def new(*steps: Callable[[My], tuple[Step, ...]]) -> Whenever:
    """When it begins to work as new, bought or as a copy; not when it changes hands with its
    tokens (TK-16.8).
    """

    @whenever(CardArrived, mine=True, when=arrives)
    def when_new(my: My, arrived: CardArrived) -> Answer:
        if arrived.how == "taken":
            return None
        return tuple(step for make in steps for step in make(my))

    return when_new


def gain(*, stars: int = 0, energy: int = 0, health: int = 0) -> Callable[[My], tuple[Step, ...]]:
    """Stars, energy and health for the owner."""
    return lambda my: (
        GainStars(my.seat, stars),
        GainEnergy(my.seat, energy),
        Heal(my.seat, health),
    )


def hurt_me(amount: int) -> Callable[[My], tuple[Step, ...]]:
    """Damage to the owner, by no attack and nobody's deed."""
    return lambda my: (Damage(my.seat, amount),)


def hurt_others(amount: int) -> Callable[[My], tuple[Step, ...]]:
    """The same damage to every other Monster at once (NY-15.7, TK-7.6)."""
    return lambda my: (Together(tuple(Damage(s, amount, my.seat) for s in others(my))),)


def hurt_all(amount: int) -> Callable[[My], tuple[Step, ...]]:
    """The same damage to every Monster, the owner too."""
    return lambda my: (damage_everyone(my, amount),)


def extra_turn(condition: str = "") -> Callable[[My], tuple[Step, ...]]:
    """Another turn for the owner after this one."""
    return lambda my: (WinExtraTurn(my.seat, condition),)


def others(my: My) -> tuple[Seat, ...]:
    """Return the other living Monsters, clockwise from the owner."""
    return tuple(s for s in my.position.clockwise(my.seat)[1:] if my.position.is_alive(s))


def modifier(quantity: Quantity, by: int) -> Modifies:
    """The owner's number is larger (or, below 0, smaller) by so much."""
    return Modifies(quantity, lambda my, query, value: value + by, f"{quantity}_{by}", mine=True)


def all_faces(my: My) -> bool:
    """Whether the owner's result has every face of the game, on dice or added by cards (H18)."""
    return my.is_active and all(my.position.count(face) for face in my.rules.faces)


def attacks_harder(by: int, when: Callable[[My, Damage], bool]) -> Instead:
    """Damage of the owner's attacks is so much larger, if `when` holds (NY-8.5, TK-7.4)."""

    @instead_of(Damage, Stage.ADD, when=my_attack)
    def harder(my: My, hurt: Damage) -> Answer:
        return replace(hurt, amount=hurt.amount + by) if when(my, hurt) else None

    return harder


def each_turn(*, health: int) -> Whenever:
    """At the start of the owner's turns: so much."""

    @whenever(TurnStarted, mine=True)
    def start_of_turn(my: My, started: TurnStarted) -> Answer:
        return gain(health=health)(my)

    return start_of_turn


def only_after(unit: UnitKind) -> Modifies:
    """For sale only to whoever destroyed such a Unit this turn (NY-15.9)."""

    @modifies(Quantity.MAY_BUY, Where.FOR_SALE)
    def only_after_destroying(my: My, query: Query, allowed: int) -> int:
        turn = my.game.turn
        did = turn.active == query.seat and unit in turn.destroyed
        return allowed if query.card != my.name or did else 0

    return only_after_destroying


def open_dice(my: My) -> tuple[int, ...]:
    """Return dice of the result that are neither given up nor resolved."""
    turn = my.game.turn
    spent, resolved = turn.spent, turn.resolved
    return tuple([i for i, f in enumerate(turn.faces) if i not in spent and f not in resolved])


def other_faces(my: My, die: int) -> tuple[Face, ...]:
    """Return what a die may be turned to: another face, of a group that is still to come."""
    turn = my.game.turn
    return tuple(f for f in my.rules.faces if f is not turn.faces[die] and f not in turn.resolved)


def turnable_dice(my: My) -> tuple[int, ...]:
    """Return open dice with a face to turn them to: there are some while two groups are to come."""
    resolved = my.game.turn.resolved
    left = [face for face in my.rules.faces if face not in resolved]
    return open_dice(my) if len(left) > 1 else ()


def my_final_dice(my: My) -> bool:
    """Whether the owner's dice are final and some may still be turned."""
    return my.is_active and my.game.turn.final and bool(turnable_dice(my))


def before_first_roll(my: My) -> bool:
    """Whether the owner's turn began, no die has been thrown, and this power was not used yet."""
    turn = my.game.turn
    begun = not turn.faces and not turn.final
    return my.is_active and begun and not my.has_used()


def can_pay(my: My, amount: int) -> bool:
    """Whether the owner can pay so much."""
    return my.position.purse(my.seat) >= amount


def any_die(my: My, die: int) -> bool:
    """Accept each open die."""
    return True


def asks_die(topic: str, next_topic: str, may: Callable[[My, int], bool] = any_die) -> Whenever:
    """Make the question which open die of the power `topic`, among those that it `may` turn; its
    answer asks `next_topic`.
    """

    @whenever(Ask)
    def which_open_die(my: My, ask: Ask) -> Answer:
        if ask.topic != topic or ask.card != my.card_id:
            return None
        faces = my.game.turn.faces
        options = tuple(
            Option("die", (Ask(my.seat, next_topic, my.card_id, i),), die=i, face=faces[i])
            for i in turnable_dice(my)
            if may(my, i)
        )
        return Choice(my.seat, "turn_die", options, window="dice") if options else None

    return which_open_die


def asks_face(
    topic: str,
    steps: Callable[[My, int], tuple[Step, ...]] = lambda my, die: (),
    may: Callable[[My, int], bool] = any_die,
) -> Whenever:
    """Make the question which face the die shall show; then `steps` of the power. Not asked if
    it may not turn that die any more.
    """

    @whenever(Ask)
    def which_new_face(my: My, ask: Ask) -> Answer:
        if ask.topic != topic or ask.card != my.card_id:
            return None
        if ask.number not in turnable_dice(my) or not may(my, ask.number):
            return None
        options = tuple(
            Option(
                "",
                (DieChanged(my.seat, ask.number, face, my.card_id), *steps(my, ask.number)),
                face=face,
            )
            for face in other_faces(my, ask.number)
        )
        return Choice(my.seat, "turn_to", options, window="dice", about=(("die", ask.number),))

    return which_new_face


def drop_me(my: My) -> tuple[Step, ...]:
    """The card is discarded."""
    return (DropCard(my.seat, my.card_id, my.card.name),)


def transfer(my: My, giver: Seat, price: int, taker: Seat) -> tuple[Step, ...]:
    """Move energy up to the price from one Monster to another, which gains it."""
    energy = min(price, my.game.monsters[giver].energy)
    return (SpendEnergy(giver, energy), GainEnergy(taker, energy))

"""The cards of King of Tokyo: abilities, then the table, A–Z. Nobody else names a card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from companion.engine.abilities import Ability, Instead, Quantity, Query, Stage, Whenever
from companion.engine.base_position import My
from companion.engine.buying import purchase
from companion.engine.cards.common import (
    MANY,
    again,
    all_faces,
    arrives,
    asks_die,
    asks_face,
    attacks_harder,
    before_first_roll,
    bought,
    deck,
    discard,
    gains,
    hurt_all,
    hurt_me,
    hurt_others,
    keep,
    modifier,
    my_final_dice,
    new,
    occasion,
    open_dice,
    others,
    pay,
    spend_on_tokens,
    win,
    wounded_get,
)
from companion.engine.decorators import instead_of, modifies, offers, whenever
from companion.engine.effects import (
    AddCounters,
    Ask,
    BuyCard,
    CardArrived,
    CardRevealed,
    CopyCard,
    Damage,
    DeckEmpty,
    DiceCounted,
    DieChanged,
    DrawCard,
    DropCard,
    Effect,
    Eliminate,
    EndPhase,
    GainEnergy,
    GainStars,
    Heal,
    LoseEnergy,
    LoseHealth,
    LoseStars,
    MoreRolls,
    MoveTo,
    NoLonger,
    Noted,
    ReachedZero,
    ResolveFace,
    ResolvePhase,
    RethrowDie,
    ShareHearts,
    SpendCounters,
    SpendEnergy,
    StartAgain,
    TakeBackEnergy,
    TakeCard,
    TurnStarted,
    Under,
    WinExtraTurn,
)
from companion.engine.game import Step, Together
from companion.engine.moving import escapes, may_yield, targets
from companion.engine.questions import Answer, Choice, Option, Reveal, Roll, decided
from companion.engine.values import (
    TABLE,
    CardId,
    CardInPlay,
    CardKind,
    Deed,
    Face,
    How,
    Seat,
    Token,
)

# -- Camouflage, Wings, Jets --------------------------------------------------------------------


def _cancel(my: My, hurt: Damage, points: int) -> Roll:
    """As many dice as there are for these points; the others wait (TK-4.3)."""
    dice = min(points, my.rules.dice_max)

    def thrown(faces: tuple[Face, ...], _: tuple[int, ...], __: bool) -> tuple[Step, ...]:
        left = hurt.amount - faces.count(Face.HEAL)
        return (replace(hurt, amount=left, untried=points - dice),)

    free, about = tuple(range(dice)), (("amount", hurt.amount),)
    return Roll(my.seat, "cancel", dice, thrown, free=free, window="hurt", about=about)


@instead_of(Damage, mine=True, clause="TK-7.5")
def hearts_cancel_damage(my: My, hurt: Damage) -> Answer:
    """Roll a die for each point of damage to you; each heart cancels one (H14)."""
    return None if hurt.untried else _cancel(my, hurt, hurt.amount)


@instead_of(Damage, mine=True)
def roll_for_the_rest(my: My, hurt: Damage) -> Answer:
    """More points than dice: a second throw for those that waited (H14)."""
    return _cancel(my, hurt, hurt.untried) if hurt.untried else None


@instead_of(Damage, mine=True, clause="TK-16.18")
def take_wing(my: My, hurt: Damage) -> Answer:
    """You may pay 2 energy to lose no health for the rest of the turn (H13)."""
    if my.monster.energy < 2:
        return None
    fly = (SpendEnergy(my.seat, 2), Under(my.seat, "wings", my.game.turn.number))
    options = (Option("use", fly), Option("pass", (hurt,)))
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "take_wing", options, window="hurt", clause="TK-16.18", about=about)


@instead_of(Damage, Stage.FORBID, mine=True, clause="TK-16.18")
def nothing_hurts(my: My, hurt: Damage) -> Answer:
    """On the wing: no damage this turn."""
    return ()


@instead_of(Damage, mine=True, clause="TK-10.2")
def flee_unhurt(my: My, hurt: Damage) -> Answer:
    """Yield to an attack and it does no damage; the attacker still moves in (C21)."""
    if hurt.answered or not may_yield(my.position, hurt):
        return None
    options = (
        Option("stay", (replace(hurt, answered=True),)),
        *escapes(my.position, my.seat, hurt.dealer),
    )
    about = (("seat", hurt.dealer), ("amount", hurt.amount))
    return Choice(my.seat, "flee_unhurt", options, window="flee", clause="TK-10.2", about=about)


# -- Fire Breathing, It Has a Child -------------------------------------------------------------


@whenever(Damage, once=True, at_once=True, clause=("TK-16.4", "TK-16.13"))
def singe_the_neighbours(my: My, hurt: Damage) -> Answer:
    """When you deal damage, your nearest neighbours take 1 more, no attack.

    Neighbours are those of the moment of the blow: nobody steps in for one it kills (G9). It is a
    source of its own, of one occasion with the blow (H33).
    """
    if hurt.dealer != my.seat:
        return None
    began = occasion(my, hurt)
    return Together(
        tuple(Damage(s, 1, my.seat, occasion=began) for s in my.position.neighbours(my.seat))
    )


@instead_of(Eliminate, mine=True, clause="TK-16.17")
def start_again(my: My, end: Eliminate) -> Answer:
    """At 0 health: lose all cards and stars, go on with 10 health outside the city (G8).

    The cards go first, with all they take along.
    """
    mine = (c for c in my.game.in_play.cards if c.owner == my.seat)
    cards = Together(tuple(DropCard(my.seat, c.id, c.name) for c in mine))
    return (cards, StartAgain(my.seat))


# -- Mimic ------------------------------------------------------------------------------------


def _models(my: My) -> list[CardInPlay]:
    """The Keep cards in play that it does not count as yet."""
    mine = (my.card_id, my.card.copies)
    keep_cards = (c for c in my.game.in_play.cards if my.rules.cards[c.name].kind is CardKind.KEEP)
    return [c for c in keep_cards if c.id not in mine and c.owner != TABLE]


@whenever(CardArrived, mine=True, clause="TK-16.9")
def copy_a_card(my: My, arrived: CardArrived) -> Answer:
    """Choose a Keep card in play: this one counts as that, as if just bought."""
    bought_now = arrives(my, arrived) and arrived.how == "bought"
    return Ask(my.seat, "copy", my.card_id) if bought_now else None


def _can_copy_another(my: My) -> bool:
    return before_first_roll(my) and pay(my, 1) and bool(_models(my))


@offers(_can_copy_another, window="roll", clause="TK-16.9")
def pay_to_copy_another(my: My) -> Answer:
    """At the start of your turn, 1 energy puts it on another card (H10)."""
    asked = Ask(my.seat, "copy", my.card_id, number=1)
    return (SpendEnergy(my.seat, 1), Noted(my.seat, my.ref), asked)


@whenever(Ask)
def which_to_copy(my: My, ask: Ask) -> Answer:
    """Which card it counts as from now on; before the roll (number 1) that may change the dice."""
    if ask.topic != "copy" or ask.card != my.card_id:
        return None
    then = (DiceCounted(my.seat),) * ask.number
    options = tuple(
        Option(f"copy_{c.id}", (CopyCard(my.seat, my.card_id, c.id, c.name), *then), card=c.id)
        for c in _models(my)
    )
    return Choice(my.seat, "copy", options, window="copy", clause="TK-16.9") if options else None


# -- Opportunist, Psychic Probe -----------------------------------------------------------------


@whenever(CardRevealed, active_last=True, clause="TK-16.3")
def buy_at_once(my: My, revealed: CardRevealed) -> Answer:
    """You may buy a card the moment it is revealed; with a copy of this one you are still asked but
    once (H8).
    """
    card = my.position.for_sale(revealed.card)  # by id: another may lie in that slot by now
    declined = f"declined_{revealed.card}@{my.seat}"
    if card is None or declined in my.game.turn.used:
        return None
    buy = purchase(my.position, my.seat, card)
    if buy.barred:
        return None
    about = (("card", card.name),)
    return Choice(
        my.seat,
        "buy_at_once",
        (buy, Option("pass", (Noted(my.seat, declined),))),
        window="revealed",
        clause="TK-16.3",
        about=about,
    )


def _can_probe(my: My) -> bool:
    turn = my.game.turn
    return (
        turn.active != my.seat
        and turn.final
        and bool(turn.faces)
        and not turn.resolved
        and my.ref not in turn.used
    )


@offers(_can_probe, window="dice_final", waits=True, clause="TK-16.20")
def make_it_reroll(my: My) -> Answer:
    """Once in another's turn: one die of your choice is thrown again (H16)."""
    return (Noted(my.seat, my.ref), Ask(my.seat, "probe", my.card_id))


@whenever(Ask, clause="TK-16.20")
def which_die(my: My, ask: Ask) -> Answer:
    """The card's owner chooses the die."""
    if ask.topic != "probe" or ask.card != my.card_id:
        return None
    active, faces = my.game.turn.active, my.game.turn.faces
    options = tuple(
        Option(f"die_{i}", (RethrowDie(active, i, my.seat, my.card_id),), die=i, face=face)
        for i, face in enumerate(faces)
    )
    return Choice(my.seat, "probe", options, window="dice", clause="TK-16.20")


@whenever(DieChanged)
def a_heart_ends_it(my: My, changed: DieChanged) -> Answer:
    """If the new face is a heart the card is discarded: this one, if it is a copy (H10)."""
    mine = changed.card == my.card_id and changed.face is Face.HEAL
    return DropCard(my.seat, my.card_id, my.card.name) if mine else None


# -- claws ------------------------------------------------------------------------------------


def _always(my: My, hurt: Damage) -> bool:
    return True


def _in_tokyo(my: My, hurt: Damage) -> bool:
    return my.position.is_inside(my.seat)


def _acid_used(my: My) -> str:
    return f"card.{my.card_id}/acid_is_used@{my.seat}"


def _acid_left(my: My, _: Effect) -> bool:
    return _acid_used(my) not in my.game.turn.used


def _spray(my: My) -> Answer:
    """1 damage to those the owner could attack, no attack; noted as this turn's."""
    hurt = tuple(Damage(s, 1, my.seat) for s in targets(my.position, my.seat))
    return (Noted(my.seat, _acid_used(my)), Together(hurt)) if hurt else None


@whenever(ResolvePhase, mine=True, clause="TK-16.11")
def acid_without_claws(my: My, phase: ResolvePhase) -> Answer:
    """On your turns without a claw: 1 damage to those you could attack; no attack (H25)."""
    return None if my.position.count(Face.ATTACK) or not _acid_left(my, phase) else _spray(my)


@whenever(CardArrived, mine=True, clause="TK-16.11")
def acid_when_it_comes(my: My, arrived: CardArrived) -> Answer:
    """In your own turn it works at once, as a copy too, unless acid of yours has worked this turn
    (H31).
    """
    turn, mine = my.game.turn, f"/acid_is_used@{my.seat}"
    works = arrives(my, arrived) and turn.active == my.seat
    return _spray(my) if works and not any(used.endswith(mine) for used in turn.used) else None


@whenever(Damage, once=True, at_once=True)
def acid_is_used(my: My, hurt: Damage) -> Answer:
    """Your claws brought its damage along: that was this turn's (H31)."""
    mine = hurt.dealer == my.seat and f"card.{my.card_id}/harder" in hurt.seen
    return Noted(my.seat, _acid_used(my)) if mine else None


@whenever(ResolveFace, mine=True, clause="TK-7.4")
def lead_the_pack(my: My, group: ResolveFace) -> Answer:
    """1 star in each turn in which you attack."""
    return GainStars(my.seat, 1) if group.face is Face.ATTACK else None


@modifies(Quantity.TARGET, mine=True)
def breathe_everywhere(my: My, query: Query, hit: int) -> int:
    """Your claws hit all others, wherever they are (B7)."""
    return 1


@instead_of(Damage, Stage.ADD)
def hungrier_in_tokyo(my: My, hurt: Damage) -> Answer:
    """In Tokyo you deal 1 damage more each time you deal any."""
    mine = hurt.dealer == my.seat and hurt.seat != my.seat and my.position.is_inside(my.seat)
    return replace(hurt, amount=hurt.amount + 1) if mine else None


@whenever(TurnStarted, mine=True)
def eat_the_city(my: My, started: TurnStarted) -> Answer:
    """1 star more for starting your turn in Tokyo."""
    return GainStars(my.seat, 1) if my.position.is_inside(my.seat) else None


@whenever(MoveTo, mine=True, at_once=True)
def leave_a_tunnel(my: My, move: MoveTo) -> Answer:
    """When you yield, who takes that space will fall into your tunnel (C22), whatever the blow you
    fly from does to the card (H34).
    """
    if move.how is not How.FLEE or move.former is None:
        return None
    return Under(my.seat, f"tunnel_{move.former}", my.game.turn.number)


def tunnel(place: str) -> Whenever:
    """Who enters this space takes 1 damage, no attack (C22)."""

    @whenever(MoveTo)
    def fall_in(my: My, move: MoveTo) -> Answer:
        if move.how is not How.ENTER or move.place != place or move.seat == my.seat:
            return None
        return (NoLonger(my.seat, f"tunnel_{place}"), Damage(move.seat, 1, my.seat))

    return fall_in


@instead_of(Damage, Stage.IGNORE, mine=True, clause="TK-16.19")
def single_points_bounce(my: My, hurt: Damage) -> Answer:
    """Damage of exactly 1 does nothing to you."""
    return () if hurt.amount == 1 else None


@whenever(Damage, mine=True, at_once=True)
def pain_is_power(my: My, hurt: Damage) -> Answer:
    """1 energy when you lose 2 health or more at once, whatever the same blow does to the card
    (H34).
    """
    return GainEnergy(my.seat, 1) if hurt.amount >= 2 else None


@whenever(ReachedZero, clause="TK-16.2")
def eat_the_dead(my: My, fell: ReachedZero) -> Answer:
    """3 stars each time another Monster reaches 0 health."""
    return GainStars(my.seat, 3) if fell.seat != my.seat else None


# -- tokens -----------------------------------------------------------------------------------


@whenever(EndPhase, mine=True)
def poison_works(my: My, phase: EndPhase) -> Answer:
    """1 damage for each Poison token at the end of your turn, as one source (H11)."""
    return Damage(my.seat, my.position.tokens(my.seat, Token.POISON))


@modifies(Quantity.DICE, mine=True)
def fewer_dice(my: My, query: Query, dice: int) -> int:
    """One die less for each Shrink token (H30)."""
    return dice - my.position.tokens(my.seat, Token.SHRINK)


def cured_by_hearts(token: Token) -> Instead:
    """A heart may take a token off instead of healing, outside Tokyo only (TK-8.3, TK-16.10)."""

    @instead_of(ResolveFace, Stage.ADD, mine=True)
    def cure(my: My, group: ResolveFace) -> Answer:
        works = group.face is Face.HEAL and not my.position.is_inside(my.seat)
        return spend_on_tokens(my, group, token) if works else None

    return cure


# -- what the dice score ------------------------------------------------------------------------


def scores(face: Face, *steps: Callable[[My], tuple[Step, ...]]) -> Whenever:
    """When you score three or more of a number: these steps too."""

    @whenever(ResolveFace, mine=True)
    def score_more(my: My, group: ResolveFace) -> Answer:
        if group.face is not face or group.amount < 3:
            return None
        return tuple(step for make in steps for step in make(my))

    return score_more


def quills(my: My) -> tuple[Step, ...]:
    """2 damage to those you could attack; no attack."""
    return (Together(tuple(Damage(s, 2, my.seat) for s in targets(my.position, my.seat))),)


def _another_turn(my: My, window: str) -> Answer:
    """The question whether the clock stops, once a turn for each card."""
    asked = f"card.{my.card_id}/stop_the_clock"
    if asked in my.game.turn.used:
        return None
    note = Noted(my.seat, asked)
    options = (
        Option("use", (note, WinExtraTurn(my.seat, "freeze_time"))),
        Option("pass", (note,)),
    )
    return Choice(my.seat, "stop_the_clock", options, window=window)


@whenever(ResolveFace, mine=True)
def stop_the_clock(my: My, group: ResolveFace) -> Answer:
    """Scoring three ONE you may take another turn with one die fewer."""
    scored = group.face is Face.ONE and group.amount >= 3
    return _another_turn(my, "group") if scored else None


@whenever(EndPhase, mine=True)
def stop_the_clock_late(my: My, phase: EndPhase) -> Answer:
    """Of a turn in which you scored them before it was yours you are asked at its end (H31)."""
    scored = Face.ONE in my.game.turn.resolved and my.position.count(Face.ONE) >= 3
    return _another_turn(my, "end") if scored else None


@modifies(Quantity.DICE, mine=True)
def one_die_fewer(my: My, query: Query, dice: int) -> int:
    """This turn has one die fewer."""
    return dice - 1


@whenever(ResolvePhase, mine=True, active_last=True)
def destroy_completely(my: My, phase: ResolvePhase) -> Answer:
    """All six faces once cards have added theirs: 9 stars beside what they do (H18)."""
    return GainStars(my.seat, 9) if all_faces(my) else None


@whenever(ResolvePhase, mine=True)
def eat_anything(my: My, phase: ResolvePhase) -> Answer:
    """ONE, TWO and THREE in the result: 2 stars, once."""
    has_all = all(my.position.count(face) for face in (Face.ONE, Face.TWO, Face.THREE))
    return GainStars(my.seat, 2) if has_all else None


@instead_of(ResolveFace, Stage.ADD, mine=True, clause="TK-16.14")
def hearts_for_others(my: My, group: ResolveFace) -> Answer:
    """Hearts may heal others, who pay 2 energy a point or what they have (D9).

    A second such card has nothing to add: all hearts of a group are shared out once.
    """
    mark = f"hearts_for_others@{my.seat}"
    if group.face is not Face.HEAL or mark in my.game.turn.used:
        return None
    return (Noted(my.seat, mark), ShareHearts(my.seat, my.card_id, group.amount))


@whenever(ShareHearts, mine=True)
def whom_to_heal(my: My, hearts: ShareHearts) -> Answer:
    """One heart at a time; the rest is yours. What one Monster gets is one healing (D8)."""
    if hearts.card != my.card_id:
        return None
    healed = tuple(Heal(s, n, my.seat, my.card_id) for s, n in Counter(hearts.given).items())
    rest = Option("rest", (*healed, ResolveFace(my.seat, hearts.left, Face.HEAL)))
    options = tuple(
        Option(
            f"seat_{s}",
            (replace(hearts, left=hearts.left - 1, given=(*hearts.given, s)),),
            other=s,
        )
        for s in (others(my) if hearts.left else ())
        if my.game.monsters[s].health + hearts.given.count(s) < my.position.health_max(s)
    )
    about = (("amount", hearts.left),)
    return decided(Choice(my.seat, "heal_others", (*options, rest), window="group", about=about))


@whenever(Heal, clause="TK-16.14")
def the_healed_pay(my: My, heal: Heal) -> Answer:
    """2 energy for each point that came back, or what they have (D8)."""
    return pays(my, heal.seat, 2 * heal.amount, my.seat) if heal.card == my.card_id else None


@instead_of(Heal, Stage.ADD, clause="TK-16.15")
def heal_faster(my: My, heal: Heal) -> Answer:
    """1 more each time you heal, yourself or another, not when another heals you."""
    healer = heal.seat if heal.by == TABLE else heal.by
    return replace(heal, amount=heal.amount + 1) if healer == my.seat else None


# -- dice -------------------------------------------------------------------------------------


@modifies(Quantity.ROLL_COST, mine=True, clause="TK-16.16")
def threes_are_free(my: My, query: Query, cost: int) -> int:
    """Throwing only dice that show THREE again uses up no roll."""
    return 0 if all(face is Face.THREE for face in query.faces) else cost


def _rolling(my: My) -> bool:
    turn = my.game.turn
    return turn.active == my.seat and bool(turn.faces) and not turn.final


def _can_read_minds(my: My) -> bool:
    return _rolling(my) and pay(my, 1)


@offers(_can_read_minds, window="roll", waits=True, clause="TK-12.6")
def roll_by_thought(my: My) -> Answer:
    """1 energy for one more reroll, as often as you like."""
    return (SpendEnergy(my.seat, 1), MoreRolls(my.seat, 1))


def _has_smoke(my: My) -> bool:
    return _rolling(my) and my.card.counters > 0


@offers(_has_smoke, window="roll", waits=True)
def blow_smoke(my: My) -> Answer:
    """A Smoke token for one more reroll; the last one takes the card along."""
    spend = SpendCounters(my.seat, 1, my.card_id, my.card.name)
    last = (DropCard(my.seat, my.card_id, my.card.name),) if my.card.counters == 1 else ()
    return (spend, MoreRolls(my.seat, 1), *last)


def smoke(my: My) -> tuple[Step, ...]:
    """It starts with three Smoke tokens."""
    return (AddCounters(my.seat, 3, my.card_id, my.card.name),)


def _can_cull(my: My) -> bool:
    turn = my.game.turn
    ready = my_final_dice(my) and my.ref not in turn.used and Face.ONE not in turn.resolved
    return ready and any(turn.faces[i] is not Face.ONE for i in open_dice(my))


@offers(_can_cull, waits=True)
def cull_the_herd(my: My) -> Answer:
    """Once a turn one of your dice becomes a ONE (H16)."""
    return (Noted(my.seat, my.ref), Ask(my.seat, "cull", my.card_id))


@whenever(Ask)
def which_to_cull(my: My, ask: Ask) -> Answer:
    """Any die still to be resolved that shows something else."""
    if ask.topic != "cull" or ask.card != my.card_id or Face.ONE in my.game.turn.resolved:
        return None
    faces = my.game.turn.faces
    options = tuple(
        Option(f"die_{i}", (DieChanged(my.seat, i, Face.ONE, my.card_id),), die=i, face=faces[i])
        for i in open_dice(my)
        if faces[i] is not Face.ONE
    )
    return Choice(my.seat, "turn_die", options, window="dice") if options else None


@offers(my_final_dice, waits=True)
def twist(my: My) -> Answer:
    """One die becomes any face; then the card is gone (H16)."""
    return Ask(my.seat, "twist", my.card_id)


def drop_me(my: My) -> tuple[Step, ...]:
    """The card is discarded."""
    return (DropCard(my.seat, my.card_id, my.card.name),)


def _can_stretch(my: My) -> bool:
    return my_final_dice(my) and pay(my, 2)


@offers(_can_stretch, waits=True, clause="TK-12.6")
def stretch(my: My) -> Answer:
    """2 energy turn a die to any face, as often as you like."""
    return (SpendEnergy(my.seat, 2), Ask(my.seat, "stretch", my.card_id))


# -- energy and stars ---------------------------------------------------------------------------


@instead_of(GainEnergy, Stage.ADD, mine=True, clause="TK-16.21")
def one_more_energy(my: My, gain: GainEnergy) -> Answer:
    """Your energy gains are 1 larger."""
    return replace(gain, amount=gain.amount + 1)


@whenever(CardArrived, mine=True)
def in_the_news(my: My, arrived: CardArrived) -> Answer:
    """1 star for each other card you buy, from whomever."""
    paid = arrived.how in ("bought", "taken") and arrived.card != my.card_id
    return GainStars(my.seat, 1) if paid else None


@whenever(EndPhase, mine=True)
def hoard(my: My, phase: EndPhase) -> Answer:
    """1 star for each full 6 energy at the end of your turn (H23)."""
    return GainStars(my.seat, my.monster.energy // 6)


@whenever(EndPhase, mine=True)
def harm_nobody(my: My, phase: EndPhase) -> Answer:
    """1 star if you damaged nobody in your turn (H24)."""
    hurt = my.position.tallied(Deed.DAMAGE, by=my.seat) - my.position.tallied(
        Deed.DAMAGE, my.seat, my.seat
    )
    return GainStars(my.seat, 1) if not hurt else None


@whenever(EndPhase, mine=True, clause="TK-16.23")
def cheer_the_last(my: My, phase: EndPhase) -> Answer:
    """1 star if you alone have the fewest at the end of your turn."""
    fewest = all(my.monster.stars < my.game.monsters[s].stars for s in others(my))
    return GainStars(my.seat, 1) if fewest else None


@whenever(EndPhase, mine=True, clause="TK-16.6")
def catch_the_sun(my: My, phase: EndPhase) -> Answer:
    """1 energy if you have none at the end of your turn."""
    return GainEnergy(my.seat, 1) if not my.monster.energy else None


def _sick_and_rich(my: My) -> bool:
    return pay(my, 2) and my.monster.health < my.position.health_max(my.seat)


@offers(_sick_and_rich, clause="TK-12.6")
def heal_for_energy(my: My) -> Answer:
    """2 energy for 1 health, at any time, as often as you can pay."""
    return (SpendEnergy(my.seat, 2), Heal(my.seat, 1))


@instead_of(Damage, Stage.LAST, mine=True)
def last_moment(my: My, hurt: Damage) -> Answer:
    """Before damage that would kill you, you are asked how often you pay."""
    if hurt.amount < my.monster.health:
        return None
    most = min(my.position.purse(my.seat) // 2, my.position.health_max(my.seat) - my.monster.health)
    if most <= 0:
        return None
    once = (SpendEnergy(my.seat, 2), Heal(my.seat, 1))
    uses = (Option(f"use_{k}", (*(once * k), hurt)) for k in range(1, most + 1))
    options = (*uses, Option("pass", (hurt,)))
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "last_moment", options, window="hurt", clause="TK-12.6", about=about)


def batteries(my: My) -> tuple[Step, ...]:
    """You may put any amount of energy on the card; the bank adds as much."""
    return (Ask(my.seat, "batteries", my.card_id),)


@whenever(Ask)
def how_much_to_store(my: My, ask: Ask) -> Answer:
    """From nothing to all you have."""
    if ask.topic != "batteries" or ask.card != my.card_id:
        return None
    name = my.card.name
    options = tuple(
        Option(f"use_{k}", (SpendEnergy(my.seat, k), AddCounters(my.seat, 2 * k, my.card_id, name)))
        for k in range(my.monster.energy + 1)
    )
    return Choice(my.seat, "batteries", options, window="buy")


@whenever(TurnStarted, clause="TK-16.21")
def drain_the_batteries(my: My, started: TurnStarted) -> Answer:
    """Take 2 energy off the card; empty, it is discarded."""
    if started.seat != my.seat:
        return None
    left = my.card.counters
    empty = drop_me(my) if left <= 2 else ()
    taken = min(2, left)
    spend = SpendCounters(my.seat, taken, my.card_id, my.card.name)
    return (spend, TakeBackEnergy(my.seat, taken), *empty)


# -- cards changing hands -----------------------------------------------------------------------


@modifies(Quantity.PRICE, mine=True, clause="TK-16.12")
def cheaper(my: My, query: Query, price: int) -> int:
    """Cards cost you 1 less."""
    return price - 1


def pays(my: My, giver: Seat, price: int, taker: Seat) -> tuple[Step, ...]:
    """What it has up to the price goes from one Monster to another, for whom it is a gain."""
    energy = min(price, my.game.monsters[giver].energy)
    return (SpendEnergy(giver, energy), GainEnergy(taker, energy))


def _loot(my: My) -> Iterator[Option]:
    for c in my.game.in_play.cards:
        if c.owner in (my.seat, TABLE) or my.rules.cards[c.name].kind is not CardKind.KEEP:
            continue
        price = my.position.price(my.seat, c.name)
        if pay(my, price):
            steps = (*pays(my, my.seat, price, c.owner), TakeCard(my.seat, c.id, c.name))
            yield Option(f"take_{c.id}", steps, card=c.id)


def _can_loot(my: My) -> bool:
    return my.game.turn.active == my.seat and any(_loot(my))


@offers(_can_loot, window="buy", clause="TK-16.8")
def buy_from_others(my: My) -> Answer:
    """In your buying phase, Keep cards of others are for sale; they get the price (H9)."""
    return Ask(my.seat, "loot", my.card_id)


@whenever(Ask)
def what_to_take(my: My, ask: Ask) -> Answer:
    """Any that can be paid, or none after all."""
    if ask.topic != "loot" or ask.card != my.card_id:
        return None
    return Choice(my.seat, "take_card", (*_loot(my), Option("pass")), window="take")


def _can_peek(my: My) -> bool:
    unseen = bool(my.game.deck or my.game.discards)
    return my.game.turn.active == my.seat and unseen and my.ref not in my.game.turn.used


@offers(_can_peek, window="buy", clause="TK-12.1")
def peek(my: My) -> Answer:
    """In your buying phase you may look at the next card, and buy it."""
    return (Noted(my.seat, my.ref), Ask(my.seat, "peek", my.card_id))


@whenever(Ask)
def what_lies_on_top(my: My, ask: Ask) -> Answer:
    """The table names it to the owner."""
    if ask.topic != "peek" or ask.card != my.card_id:
        return None
    names = tuple(dict.fromkeys(my.game.deck or my.game.discards))

    def named(name: str | None) -> tuple[Step, ...]:
        if name is None:
            return (DeckEmpty(my.seat),)
        return (Ask(my.seat, f"peeked_{name}", my.card_id),)

    return Reveal(my.seat, "peek", names, named, slot=-1, again=False)


@whenever(Ask)
def buy_what_you_saw(my: My, ask: Ask) -> Answer:
    """At its price, or leave it on the deck."""
    name = ask.topic.removeprefix("peeked_")
    if ask.card != my.card_id or name == ask.topic:
        return None
    price, card = my.position.price(my.seat, name), CardId(my.game.next_id)
    buy = (SpendEnergy(my.seat, price), DrawCard(my.seat, card, name), BuyCard(my.seat, card, name))
    lacking = max(0, price - my.position.purse(my.seat))
    barred = "short" if lacking else ""
    options = (Option("buy", buy, barred=barred, lacking=lacking), Option("pass"))
    return Choice(my.seat, "buy_peeked", options, window="take", about=(("card", name),))


@whenever(EndPhase, clause="TK-16.5")
def sell_cards(my: My, phase: EndPhase) -> Answer:
    """At the end of your turn you may sell Keep cards for their printed cost (H6). What lets you
    sell is better sold last: without it no other card can be (H35).
    """
    if phase.seat != my.seat:
        return None
    mine = [c for c in my.game.in_play.cards if c.owner == my.seat]
    seller = (my.card_id, my.card.copies) if len(mine) > 1 else ()
    options = tuple(
        Option(
            f"sell_{c.id}",
            (
                DropCard(my.seat, c.id, c.name),
                TakeBackEnergy(my.seat, my.rules.cards[c.name].cost),
            ),
            again=True,
            card=c.id,
            warning="sell_last" if c.id in seller else "",
        )
        for c in mine
        if my.rules.cards[c.name].kind is CardKind.KEEP
    )
    return Choice(my.seat, "sell", (*options, Option("pass")), window="end", clause="TK-16.5")


# -- bought once ------------------------------------------------------------------------------


def drop_in(my: My) -> tuple[Step, ...]:
    """Take the City, unless you are in Tokyo; who is there goes out unhurt (TK-16.7, C20)."""
    if my.position.is_inside(my.seat):
        return ()
    city = next(p.name for p in my.rules.places.values() if p.entry and not p.track)
    outside = my.rules.start_places[0]
    there = (m.seat for m in my.game.monsters if m.alive and m.place == city)
    out = tuple(MoveTo(s, outside, How.LEAVE) for s in there)
    return (*out, MoveTo(my.seat, city, How.ENTER))


def evacuate(my: My) -> tuple[Step, ...]:
    """Every other Monster loses 5 stars (H21)."""
    return tuple(LoseStars(s, 5) for s in others(my))


def storm(my: My) -> tuple[Step, ...]:
    """Every other Monster loses half its energy, rounded down."""
    return tuple(LoseEnergy(s, my.game.monsters[s].energy // 2) for s in others(my))


def shrinks_back(seat: Seat) -> tuple[Step, ...]:
    """The 2 health that came with the card go with it (TK-16.1, D7)."""
    return (LoseHealth(seat, 2),)


# -- the tables -------------------------------------------------------------------------------

CARDS = deck(
    keep(
        "acid_attack",
        6,
        attacks_harder(1, _acid_left),
        acid_without_claws,
        acid_when_it_comes,
        acid_is_used,
    ),
    keep("alien_metabolism", 3, cheaper),
    keep("alpha_monster", 5, lead_the_pack),
    discard("apartment_building", 5, gains(stars=3)),
    keep("armor_plating", 4, single_points_bounce),
    keep("background_dweller", 4, threes_are_free),
    keep("burrowing", 5, attacks_harder(1, _in_tokyo), leave_a_tunnel),
    keep("camouflage", 3, hearts_cancel_damage, roll_for_the_rest),
    discard("commuter_train", 4, gains(stars=2)),
    keep("complete_destruction", 3, destroy_completely),
    discard("corner_store", 3, gains(stars=1)),
    keep("dedicated_news_team", 3, in_the_news),
    discard("drop_from_high_altitude", 5, bought(win(stars=2), drop_in)),
    keep("eater_of_the_dead", 4, eat_the_dead),
    discard("energize", 8, gains(energy=9)),
    keep("energy_hoarder", 3, hoard),
    discard("evacuation_orders", 7, bought(evacuate), copies=2),
    keep(
        "even_bigger",
        4,
        modifier(Quantity.HEALTH_MAX, 2),
        gains(health=2),
        leaving=shrinks_back,
    ),
    keep("extra_head", 7, modifier(Quantity.DICE, 1), copies=2),
    discard("fire_blast", 3, bought(hurt_others(2))),
    keep("fire_breathing", 4, singe_the_neighbours),
    keep("freeze_time", 5, stop_the_clock, stop_the_clock_late),
    discard("frenzy", 7, bought(again())),
    keep("friend_of_children", 3, one_more_energy),
    discard("gas_refinery", 6, bought(win(stars=2), hurt_others(3))),
    keep("giant_brain", 5, modifier(Quantity.ROLLS, 1)),
    keep("gourmet", 4, scores(Face.ONE, win(stars=2))),
    discard("heal", 3, gains(health=2)),
    keep("healing_ray", 4, hearts_for_others, whom_to_heal, the_healed_pay),
    keep("herbivore", 5, harm_nobody),
    keep("herd_culler", 3, cull_the_herd, which_to_cull),
    discard("high_altitude_bombing", 4, bought(hurt_all(3))),
    keep("it_has_a_child", 7, start_again),
    discard("jet_fighters", 5, bought(win(stars=5), hurt_me(4))),
    keep("jets", 5, flee_unhurt),
    keep("made_in_a_lab", 2, peek, what_lies_on_top, buy_what_you_saw),
    keep("metamorph", 3, sell_cards),
    keep("mimic", 8, copy_a_card, pay_to_copy_another, which_to_copy, copier=True),
    keep("monster_batteries", 2, new(batteries), how_much_to_store, drain_the_batteries, most=MANY),
    discard("national_guard", 3, bought(win(stars=2), hurt_me(2))),
    keep("nova_breath", 7, breathe_everywhere),
    discard("nuclear_power_plant", 6, gains(stars=2, health=3)),
    keep("omnivore", 4, eat_anything),
    keep("opportunist", 3, buy_at_once),
    keep("parasitic_tentacles", 4, buy_from_others, what_to_take),
    keep(
        "plot_twist",
        3,
        twist,
        asks_die("twist", "twist_to"),
        asks_face("twist_to", lambda my, die: drop_me(my)),
    ),
    keep("poison_quills", 3, scores(Face.TWO, quills)),
    keep("poison_spit", 4, wounded_get(Token.POISON)),
    keep("psychic_probe", 3, make_it_reroll, which_die, a_heart_ends_it),
    keep("rapid_healing", 3, heal_for_energy, last_moment),
    keep("regeneration", 4, heal_faster),
    keep("rooting_for_the_underdog", 3, cheer_the_last),
    keep("shrink_ray", 6, wounded_get(Token.SHRINK)),
    discard("skyscraper", 6, gains(stars=4)),
    keep("smoke_cloud", 4, new(smoke), blow_smoke, most=3),
    keep("solar_powered", 2, catch_the_sun),
    keep("spiked_tail", 5, attacks_harder(1, _always)),
    keep("stretchy", 3, stretch, asks_die("stretch", "stretch_to"), asks_face("stretch_to")),
    discard("tanks", 4, bought(win(stars=4), hurt_me(3))),
    keep("telepath", 4, roll_by_thought),
    keep("urbavore", 4, eat_the_city, hungrier_in_tokyo),
    discard("vast_storm", 6, bought(win(stars=2), storm)),
    keep("were_only_making_it_stronger", 3, pain_is_power),
    keep("wings", 6, take_wing),
)

TOKENS: dict[Token, tuple[Ability, ...]] = {
    Token.POISON: (poison_works, cured_by_hearts(Token.POISON)),
    Token.SHRINK: (fewer_dice, cured_by_hearts(Token.SHRINK)),
}

CONDITIONS: dict[str, tuple[Ability, ...]] = {
    "freeze_time": (one_die_fewer,),
    "tunnel_tokyo_bay": (tunnel("tokyo_bay"),),
    "tunnel_tokyo_city": (tunnel("tokyo_city"),),
    "wings": (nothing_hurts,),
}

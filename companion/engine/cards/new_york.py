"""The cards of King of New York: abilities, then the table, A–Z. Nobody else names a card."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from companion.engine.abilities import (
    Ability,
    Instead,
    Modifies,
    Quantity,
    Query,
    Stage,
    Whenever,
    Where,
)
from companion.engine.base_position import My
from companion.engine.cards.common import (
    MANY,
    again,
    all_faces,
    asks_die,
    asks_face,
    attacks_harder,
    before_first_roll,
    bought,
    deck,
    discard,
    each_turn,
    gains,
    goal,
    hurt_all,
    hurt_me,
    keep,
    modifier,
    my_final_dice,
    only_after,
    open_dice,
    pay,
    spend_on_tokens,
    turnable_dice,
    uses,
    win,
    wounded_get,
)
from companion.engine.decorators import instead_of, modifies, offers, whenever
from companion.engine.effects import (
    AddCounters,
    AddSymbols,
    Ask,
    BuyCard,
    CardRevealed,
    Convert,
    Damage,
    Destroying,
    DestroyUnit,
    DieSpent,
    DropCard,
    EndGame,
    EndPhase,
    GainEnergy,
    GainStars,
    HandOver,
    Heal,
    LaySouvenir,
    LoseEnergy,
    LoseHealth,
    LoseStars,
    MovePhase,
    MoveTo,
    NoLonger,
    Noted,
    ResolveFace,
    ResolvePhase,
    SalvageCard,
    SendUnit,
    SmashBuilding,
    SpendEnergy,
    TakeGoal,
    TurnStarted,
    Under,
    WinExtraTurn,
)
from companion.engine.game import Step, Together
from companion.engine.questions import Answer, Choice, Option, Roll, decided
from companion.engine.values import (
    LASTING,
    CardId,
    CardKind,
    Deed,
    Face,
    How,
    Seat,
    Token,
    UnitKind,
)

# -- Carapace ---------------------------------------------------------------------------------


@whenever(ResolvePhase, mine=True)
def grow_a_shell(my: My, phase: ResolvePhase) -> Answer:
    """Each OUCH of your final roll puts a token on the card."""
    ouches = my.game.turn.faces.count(Face.OUCH)
    return AddCounters(my.seat, ouches, my.card_id, my.card.name)


def _shell_would_heal(my: My) -> bool:
    return my.card.counters > 0 and my.monster.health < my.rules.health


@offers(_shell_would_heal)
def shed_the_shell(my: My) -> Answer:
    """Discard the card: 1 health for each token on it, the maximum being the usual one again."""
    return (DropCard(my.seat, my.card_id, my.card.name), Heal(my.seat, my.card.counters))


@instead_of(Damage, Stage.LAST, mine=True)
def shed_at_last(my: My, hurt: Damage) -> Answer:
    """Before damage that would kill you, you are asked whether you discard it now."""
    if hurt.amount < my.monster.health or not _shell_would_heal(my):
        return None
    shed = (DropCard(my.seat, my.card_id, my.card.name), Heal(my.seat, my.card.counters), hurt)
    options = (Option("use", shed), Option("pass", (hurt,)))
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "shed_at_last", options, window="hurt", about=about)


# -- Chameleon --------------------------------------------------------------------------------


def _fame_beside(my: My, die: int) -> list[int]:
    """The open dice that show CELEBRITY, this one left out."""
    faces = my.game.turn.faces
    return [i for i in open_dice(my) if i != die and faces[i] is Face.CELEBRITY]


def _may_turn(my: My, die: int) -> bool:
    return bool(_fame_beside(my, die))


def _can_give_up_fame(my: My) -> bool:
    fame = Face.CELEBRITY in my.game.turn.faces
    return fame and my_final_dice(my) and any(_may_turn(my, die) for die in turnable_dice(my))


@offers(_can_give_up_fame, waits=True)
def give_up_fame(my: My) -> Answer:
    """Give up a CELEBRITY to turn another die that is not resolved yet."""
    return Ask(my.seat, "turn_die", my.card_id)


def give_one_up(my: My, die: int) -> tuple[Step, ...]:
    """The first other CELEBRITY no longer counts."""
    return (DieSpent(my.seat, _fame_beside(my, die)[0]),)


# -- Web and Curse tokens ---------------------------------------------------------------------


@modifies(Quantity.ROLLS, mine=True, clause="NY-5.4")
def fewer_rerolls(my: My, query: Query, rolls: int) -> int:
    """One reroll less for each Web token (H29)."""
    return rolls - my.position.tokens(my.seat, Token.WEB)


@instead_of(ResolveFace, Stage.ADD, mine=True)
def tear_the_web(my: My, group: ResolveFace) -> Answer:
    """An ATTACK may take a Web token off instead."""
    return spend_on_tokens(my, group, Token.WEB) if group.face is Face.ATTACK else None


@modifies(Quantity.RETHROW_PRICE, mine=True)
def pay_for_ouches(my: My, query: Query, price: int) -> int:
    """Throwing dice that show OUCH again costs 1 energy for each Curse token (H28)."""
    cursed = Face.OUCH in query.faces
    return price + my.position.tokens(my.seat, Token.CURSE) if cursed else price


@instead_of(ResolveFace, Stage.ADD, mine=True, clause="NY-9.2")
def lift_the_curse(my: My, group: ResolveFace) -> Answer:
    """A HEAL may take a Curse token off instead, in Manhattan too."""
    return spend_on_tokens(my, group, Token.CURSE) if group.face is Face.HEAL else None


# -- New York Marathon, Shadow Double ----------------------------------------------------------


@modifies(Quantity.TOLL, Where.FOR_SALE)
def closed_streets(my: My, query: Query, toll: int) -> int:
    """While it lies for sale, moving by choice costs 2 energy, fleeing too (C23)."""
    return toll + 2


@instead_of(Damage, Stage.MULTIPLY, clause="NY-8.5")
def twice_the_damage(my: My, hurt: Damage) -> Answer:
    """Damage of your attacks is doubled."""
    mine = hurt.by_attack and hurt.dealer == my.seat
    return replace(hurt, amount=2 * hurt.amount) if mine else None


# -- Subway -----------------------------------------------------------------------------------


def _stops(my: My) -> tuple[Option, ...]:
    toll = my.position.toll(my.seat)
    if not pay(my, toll):
        return ()
    return tuple(
        Option(
            name,
            (SpendEnergy(my.seat, toll), MoveTo(my.seat, name, How.MOVE)),
            place=name,
        )
        for name in my.rules.start_places
        if name != my.monster.place and my.position.room(name) > 0
    )


def _can_ride(my: My) -> bool:
    return my.game.turn.active == my.seat and bool(_stops(my))


@offers(_can_ride, clause="NY-13.10")
def ride(my: My) -> Answer:
    """Go to another borough with room, at any moment of this turn (C24)."""
    return Ask(my.seat, "ride")


@whenever(Ask)
def where_to(my: My, ask: Ask) -> Answer:
    """Any outer borough with room, or stay after all."""
    if ask.topic != "ride" or ask.seat != my.seat:
        return None
    return Choice(my.seat, "ride", (*_stops(my), Option("stay")), window="move")


# -- claws ------------------------------------------------------------------------------------


@instead_of(Damage, Stage.MULTIPLY)
def pellets(my: My, hurt: Damage) -> Answer:
    """Each Monster you attack rolls a die: OUCH doubles the damage to it."""
    if not hurt.by_attack or hurt.dealer != my.seat:
        return None

    def thrown(faces: tuple[Face, ...], _: tuple[int, ...], __: bool) -> tuple[Step, ...]:
        return (replace(hurt, amount=hurt.amount * (2 if Face.OUCH in faces else 1)),)

    about = (("seat", hurt.seat),)
    return Roll(hurt.seat, "pellets", 1, thrown, free=(0,), window="hurt", about=about)


@modifies(Quantity.TARGET, clause="NY-8.5")
def burn_the_borough(my: My, query: Query, hit: int) -> int:
    """Your attack also hits the others in your own borough (B7); no attack, no fire."""
    mine = query.seat == my.seat and my.position.area(my.seat) == my.position.area(query.other)
    inside = my.position.is_inside(my.seat)
    attacks = mine and any(my.position.is_inside(s) is not inside for s in my.position.alive())
    return 1 if attacks else hit


@whenever(Damage)
def throw_trash(my: My, hurt: Damage) -> Answer:
    """Each Monster you attack loses 1 star (H21)."""
    return LoseStars(hurt.seat, 1) if hurt.by_attack and hurt.dealer == my.seat else None


def _healthier(my: My, hurt: Damage) -> bool:
    return my.game.monsters[hurt.seat].health > my.monster.health


@whenever(Damage, mine=True)
def drain(my: My, hurt: Damage) -> Answer:
    """A Monster that attacks you gives you 2 energy, or what it has."""
    return HandOver(hurt.dealer, 2, my.seat) if hurt.by_attack else None


@whenever(Damage, mine=True)
def rise_from_ashes(my: My, hurt: Damage) -> Answer:
    """1 energy each time you take damage, however much."""
    return GainEnergy(my.seat, 1)


@instead_of(Damage, Stage.ADD, mine=True)
def shrug_off_units(my: My, hurt: Damage) -> Answer:
    """An OUCH hurts you 1 less."""
    return replace(hurt, amount=hurt.amount - 1) if hurt.by_ouch else None


# -- tiles ------------------------------------------------------------------------------------


def easier(unit: UnitKind, need: int) -> Modifies:
    """This kind of Unit needs only so much DESTRUCTION of yours (E12)."""

    @modifies(Quantity.DURABILITY, mine=True)
    def needs_less(my: My, query: Query, durability: int) -> int:
        return min(durability, need) if query.card == unit else durability

    return needs_less


@whenever(DestroyUnit, mine=True)
def hunt(my: My, kill: DestroyUnit) -> Answer:
    """1 health for each Infantry you destroy."""
    return Heal(my.seat, 1) if kill.kind is UnitKind.INFANTRY else None


@whenever(DestroyUnit, mine=True)
def take_a_trophy(my: My, kill: DestroyUnit) -> Answer:
    """1 star for each Unit you destroy."""
    return GainStars(my.seat, 1)


@whenever(SmashBuilding, mine=True)
def level_it(my: My, smashed: SmashBuilding) -> Answer:
    """1 star in a turn in which you destroy a building, once."""
    if my.ref in my.game.turn.used:
        return None
    return (Noted(my.seat, my.ref), GainStars(my.seat, 1))


@modifies(Quantity.REACH, mine=True)
def shoot_far(my: My, query: Query, reach: int) -> int:
    """Your DESTRUCTION reaches Jets in every borough."""
    return 1 if query.card == UnitKind.JET else reach


@whenever(DestroyUnit, mine=True)
def shot_down(my: My, kill: DestroyUnit) -> Answer:
    """1 star for each Jet you destroy."""
    return GainStars(my.seat, 1) if kill.kind is UnitKind.JET else None


@instead_of(Destroying, Stage.ADD, mine=True)
def shake_elsewhere(my: My, spending: Destroying) -> Answer:
    """You may pay 1 energy to use your DESTRUCTION in another borough (H19)."""
    if spending.area or not pay(my, 1):
        return None
    here = my.position.area(my.seat) or ""
    away = tuple(
        Option(
            f"area_{area}",
            (SpendEnergy(my.seat, 1), replace(spending, area=area)),
            place=area,
        )
        for area in my.rules.areas
        if area != here
    )
    options = (Option("here", (replace(spending, area=here),)), *away)
    return Choice(my.seat, "shake", options, window="destroy")


# -- symbols ----------------------------------------------------------------------------------


def adds(**symbols: int) -> Whenever:
    """Before your groups resolve: so many symbols of these faces more (NY-5.5, B5, H27)."""

    @whenever(ResolvePhase)
    def add_symbols(my: My, phase: ResolvePhase) -> Answer:
        if phase.seat != my.seat:
            return None
        return tuple(AddSymbols(my.seat, n, Face(face)) for face, n in symbols.items())

    return add_symbols


@whenever(ResolvePhase, mine=True)
def rage_among_units(my: My, phase: ResolvePhase) -> Answer:
    """Three Units in your borough: a DESTRUCTION and an ENERGY more."""
    if len(my.position.units(my.seat)) < 3:
        return None
    return (AddSymbols(my.seat, 1, Face.DESTRUCTION), AddSymbols(my.seat, 1, Face.ENERGY))


@whenever(ResolvePhase, mine=True)
def colour_the_sky(my: My, phase: ResolvePhase) -> Answer:
    """2 DESTRUCTION rolled bring an ATTACK, 4 bring two, 6 win the game (H19)."""
    rolled = my.position.rolled(Face.DESTRUCTION)
    if rolled >= 6:
        return EndGame(my.seat, "card", (my.seat,))
    return AddSymbols(my.seat, min(2, rolled // 2), Face.ATTACK)


@whenever(ResolvePhase, mine=True)
def hail_cabs(my: My, phase: ResolvePhase) -> Answer:
    """You may add 2 DESTRUCTION; then it is good for Units only (E13)."""
    if my.ref in my.game.turn.used:
        return None
    turn = my.game.turn.number
    hail = (
        Noted(my.seat, my.ref),
        AddSymbols(my.seat, 2, Face.DESTRUCTION),
        Under(my.seat, "hailing_cabs", turn),
    )
    options = (Option("use", hail), Option("pass", (Noted(my.seat, my.ref),)))
    return Choice(my.seat, "hail_cabs", options, window="dice")


@modifies(Quantity.MAY_DESTROY, mine=True)
def units_only(my: My, query: Query, allowed: int) -> int:
    """This turn's DESTRUCTION leaves buildings alone (E13)."""
    building = my.rules.tiles[query.card].unit is not None
    return 0 if building else allowed


@whenever(ResolvePhase, mine=True, active_last=True)
def on_top_of_the_city(my: My, phase: ResolvePhase) -> Answer:
    """In Manhattan with all six faces once cards have added theirs: 2 stars and another turn
    (H18).
    """
    there = my.position.is_inside(my.seat) and all_faces(my)
    return (GainStars(my.seat, 2), WinExtraTurn(my.seat)) if there else None


@whenever(ResolvePhase, mine=True)
def in_the_spotlight(my: My, phase: ResolvePhase) -> Answer:
    """1 star in a turn in which you rolled a CELEBRITY."""
    return GainStars(my.seat, 1) if Face.CELEBRITY in my.game.turn.faces else None


def converts(face: Face, into: Face, name: str) -> Instead:
    """Any number of these results of yours count as the other face; said when the first of the two
    groups is taken up, so that all of one face count together (NY-6.1, NY-G4).
    """

    def convert(my: My, group: ResolveFace) -> Answer:
        if group.face not in (face, into):
            return None
        given = group.face is face
        late = (into if given else face) in my.game.turn.resolved
        most = group.amount if given else my.position.count(face)
        if late or not most:
            return None

        def turned(k: int) -> tuple[Step, ...]:
            amount = group.amount + (-k if given else k)
            return (Convert(my.seat, k, face, into), replace(group, amount=amount))

        about = (("face", face.value), ("into", into.value), ("amount", most))
        options = uses(range(most + 1), turned, into)
        return Choice(my.seat, "convert", options, window="group", clause="NY-G4", about=about)

    return Instead(ResolveFace, convert, Stage.CHANGE, name, mine=True)


@instead_of(ResolveFace, Stage.ADD, mine=True)
def overloaded(my: My, group: ResolveFace) -> Answer:
    """Resolving ENERGY gives you 1 less in all (H20)."""
    return replace(group, amount=group.amount - 1) if group.face is Face.ENERGY else None


@whenever(EndPhase, mine=True)
def not_the_fittest(my: My, phase: EndPhase) -> Answer:
    """A CELEBRITY in your final roll costs you this card and all your health (H20)."""
    if Face.CELEBRITY not in my.game.turn.faces:
        return None
    return (
        DropCard(my.seat, my.card_id, my.card.name),
        LoseHealth(my.seat, my.monster.health),
    )


# -- goals ------------------------------------------------------------------------------------


def _shines(my: My) -> bool:
    return any(c.name == "superstar" and c.owner == my.seat for c in my.game.in_play.cards)


def stardom(**won: int) -> tuple[Whenever, Whenever]:
    """So much on taking Superstar, and at the start of your turns while you hold it."""

    @whenever(TakeGoal)
    def on_becoming_a_star(my: My, taken: TakeGoal) -> Answer:
        mine = taken.seat == my.seat and taken.name == "superstar"
        return win(**won)(my) if mine else None

    @whenever(TurnStarted, mine=True)
    def while_a_star(my: My, started: TurnStarted) -> Answer:
        return win(**won)(my) if _shines(my) else None

    return on_becoming_a_star, while_a_star


@modifies(Quantity.GOAL_FACES)
def hard_to_outshine(my: My, query: Query, faces: int) -> int:
    """While you hold Superstar others need 4 CELEBRITY for it (F9)."""
    return 4 if query.seat != my.seat and query.card == "superstar" and _shines(my) else faces


@whenever(TakeGoal)
def star_wars(my: My, taken: TakeGoal) -> Answer:
    """2 damage to whom you take Superstar from, 1 to who takes it from you; no attack (F9)."""
    if taken.name != "superstar" or taken.former < 0:
        return None
    if taken.seat == my.seat:
        return Damage(taken.former, 2, my.seat)
    return Damage(taken.seat, 1, my.seat) if taken.former == my.seat else None


# -- moving -----------------------------------------------------------------------------------


@whenever(MoveTo, mine=True)
def back_in_chinatown(my: My, move: MoveTo) -> Answer:
    """2 health each time you enter Manhattan."""
    return Heal(my.seat, 2) if move.how is How.ENTER else None


@whenever(TurnStarted, mine=True)
def at_home_in_queens(my: My, started: TurnStarted) -> Answer:
    """Starting your turn in Queens: 1 energy and 1 health."""
    there = my.position.area(my.seat) == "queens"
    return (GainEnergy(my.seat, 1), Heal(my.seat, 1)) if there else None


@offers(before_first_roll, window="roll", clause="NY-14")
def move_before_rolling(my: My) -> Answer:
    """One more move before your first roll, by the usual rules."""
    return (Noted(my.seat, my.ref), MovePhase(my.seat))


def souvenir(my: My) -> tuple[Step, ...]:
    """A Souvenir in your borough if none is there: 1 star and 1 energy; five in all."""
    area = my.position.area(my.seat)
    borough = my.position.borough(area)
    if borough is None or borough.souvenir:
        return ()
    return (LaySouvenir(my.seat, borough.area), GainStars(my.seat, 1), GainEnergy(my.seat, 1))


@whenever(MoveTo)
def buy_a_souvenir(my: My, move: MoveTo) -> Answer:
    """In each borough you come to."""
    return souvenir(my) if move.seat == my.seat else None


@whenever(MoveTo, mine=True)
def reek(my: My, move: MoveTo) -> Answer:
    """Where you come to, you may send up to four Units away, each to another borough."""
    came = my.rules.area_of(move.former) != my.position.area(my.seat)  # advancing is no coming
    if not came or not my.position.units(my.seat):
        return None
    return Ask(my.seat, "reek", my.card_id, 0)


@whenever(Ask)
def whom_to_send(my: My, ask: Ask) -> Answer:
    """One Unit at a time; boroughs already used, coded as bits, take no second one."""
    if ask.topic != "reek" or ask.card != my.card_id or ask.number.bit_count() >= 4:
        return None
    here = my.position.area(my.seat)
    options = tuple(
        Option(
            f"send_{unit.id}_{area}",
            (
                SendUnit(my.seat, unit.id, unit.kind, area),
                Ask(my.seat, "reek", my.card_id, ask.number | 1 << at),
            ),
            unit=unit.id,
            place=area,
        )
        for unit in my.position.units(my.seat)
        for at, area in enumerate(my.rules.areas)
        if area != here and not ask.number & 1 << at
    )
    return Choice(my.seat, "send_unit", (*options, Option("stop")), "move") if options else None


# -- energy and cards ---------------------------------------------------------------------------


def _tap(my: My, gainer: Seat) -> Answer:
    ref = f"{my.card_id}/tapped@{gainer}"
    gained = my.position.tallied(Deed.ENERGY_GAINED, by=gainer)
    if gainer == my.seat or gained < 3 or ref in my.game.turn.used:
        return None
    return (Noted(my.seat, ref), HandOver(gainer, 1, my.seat))


@whenever(GainEnergy)
def tap_power(my: My, gain: GainEnergy) -> Answer:
    """Another Monster that has gained 3 energy in a turn pays you 1, once a turn."""
    return _tap(my, gain.seat)


@whenever(HandOver)
def tap_gifts(my: My, given: HandOver) -> Answer:
    """What another Monster gives is a gain like any other."""
    return _tap(my, given.to)


@modifies(Quantity.MUST_ROLL)
def jinxed(my: My, query: Query, must: int) -> int:
    """All others must use every reroll they have (A9)."""
    return 1 if query.seat != my.seat else must


@modifies(Quantity.MAY_RETHROW, mine=True)
def claws_stay(my: My, query: Query, may: int) -> int:
    """Your dice that show ATTACK are not thrown again."""
    return 0 if Face.ATTACK in query.faces else may


def _salvage(my: My) -> Iterator[Option]:
    for name in dict.fromkeys(my.game.discards):
        if my.rules.cards[name].kind is not CardKind.KEEP:
            continue
        cost = max(0, my.position.price(my.seat, name) - 1)
        if pay(my, cost):
            card = CardId(my.game.next_id)
            steps = (
                SpendEnergy(my.seat, cost),
                SalvageCard(my.seat, card, name),
                BuyCard(my.seat, card, name),
            )
            yield Option(f"salvage_{name}", steps, name=name)


def _can_salvage(my: My) -> bool:
    return my.game.turn.active == my.seat and any(_salvage(my))


@offers(_can_salvage, window="buy")
def rummage(my: My) -> Answer:
    """Keep cards of the discard pile are for sale to you, 1 cheaper."""
    return Ask(my.seat, "salvage", my.card_id)


@whenever(Ask)
def what_to_salvage(my: My, ask: Ask) -> Answer:
    """Any that can be paid, or none after all."""
    if ask.topic != "salvage" or ask.card != my.card_id:
        return None
    return Choice(my.seat, "salvage", (*_salvage(my), Option("pass")), window="salvage")


@whenever(CardRevealed)
def enrol(my: My, revealed: CardRevealed) -> Answer:
    """The next Keep card that turns up is yours, for nothing."""
    card = my.position.for_sale(revealed.card)
    if card is None or my.rules.cards[card.name].kind is not CardKind.KEEP:
        return None
    return (NoLonger(my.seat, "columbia_university"), BuyCard(my.seat, card.id, card.name))


def everyone_gains_energy(amount: int) -> Callable[[My], tuple[Step, ...]]:
    """So much energy for every living Monster."""
    return lambda my: tuple(
        GainEnergy(s, amount) for s in my.position.clockwise(my.seat) if my.position.is_alive(s)
    )


def bomb_by_units(my: My) -> tuple[Step, ...]:
    """Damage to every Monster, 1 for each Unit in its own borough; no OUCH (E14)."""
    hit = (s for s in my.position.clockwise(my.seat) if my.position.is_alive(s))
    return (Together(tuple(Damage(s, len(my.position.units(s)), my.seat) for s in hit)),)


def everyone_discards(my: My) -> tuple[Step, ...]:
    """Every Monster with Keep cards chooses one to discard."""
    hit = (s for s in my.position.clockwise(my.seat) if my.position.is_alive(s))
    return tuple(Ask(s, "discard_keep", my.card_id) for s in hit)


@whenever(Ask)
def which_to_discard(my: My, ask: Ask) -> Answer:
    """One of its own Keep cards."""
    if ask.topic != "discard_keep" or ask.card != my.card_id:
        return None
    options = tuple(
        Option(f"drop_{c.id}", (DropCard(ask.seat, c.id, c.name),), card=c.id)
        for c in my.game.in_play.cards
        if c.owner == ask.seat and my.rules.cards[c.name].kind is CardKind.KEEP
    )
    return decided(Choice(ask.seat, "discard_keep", options, window="discard"))


def picture_taken(my: My) -> tuple[Step, ...]:
    """Choose a Monster: 1 star for each damage done to it this turn, by whatever means (H26)."""
    return (Ask(my.seat, "photo", my.card_id),)


@whenever(Ask)
def whose_picture(my: My, ask: Ask) -> Answer:
    """Any other Monster hurt this turn: all of that is the buyer's doing."""
    if ask.topic != "photo" or ask.card != my.card_id:
        return None
    hurt = {m.seat: my.position.tallied(Deed.DAMAGE, seat=m.seat) for m in my.game.monsters}
    options = tuple(
        Option(f"seat_{s}", (GainStars(my.seat, n),), other=s)
        for s, n in hurt.items()
        if n and s != my.seat
    )
    return decided(Choice(my.seat, "photo", options, window="buy"))


def start_over_smaller(my: My) -> tuple[Step, ...]:
    """Lose all stars; each becomes 1 energy or 1 health, as you split them."""
    stars = my.monster.stars
    return (LoseStars(my.seat, stars), Ask(my.seat, "split_stars", my.card_id, stars))


@whenever(Ask)
def energy_or_health(my: My, ask: Ask) -> Answer:
    """How many of the stars lost become health; the rest is energy."""
    if ask.topic != "split_stars" or ask.card != my.card_id or not ask.number:
        return None
    options = uses(
        range(ask.number + 1),
        lambda k: (Heal(my.seat, k), GainEnergy(my.seat, ask.number - k)),
    )
    about = (("amount", ask.number),)
    return decided(Choice(my.seat, "split_stars", options, window="buy", about=about))


@modifies(Quantity.PURSE, mine=True)
def health_is_energy(my: My, query: Query, purse: int) -> int:
    """Your health pays like energy (all but the last of it)."""
    return purse + my.monster.health - 1


@instead_of(SpendEnergy, Stage.LAST, mine=True)
def pay_with_health(my: My, price: SpendEnergy) -> Answer:
    """How much of a price you pay with health; what energy cannot pay, health must."""
    least = max(0, price.amount - my.monster.energy)
    most = min(price.amount, my.monster.health - 1)
    options = uses(
        range(least, most + 1),
        lambda k: (replace(price, amount=price.amount - k), LoseHealth(my.seat, k)),
    )
    about = (("amount", price.amount),)
    return decided(Choice(my.seat, "pay_with_health", options, window="pay", about=about))


@instead_of(Damage, Stage.LAST, mine=True)
def lose_energy_instead(my: My, hurt: Damage) -> Answer:
    """How much of the damage you take as lost energy."""
    most = min(hurt.amount, my.monster.energy)
    if not most:
        return None
    options = uses(
        range(most + 1),
        lambda k: (LoseEnergy(my.seat, k), replace(hurt, amount=hurt.amount - k)),
    )
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "energy_for_health", options, window="hurt", about=about)


# -- the tables -------------------------------------------------------------------------------

_MANHATTAN = ("manhattan",)
_BROOKLYN = ("brooklyn",)

CARDS = deck(
    discard("air_force_one", 6, only_after(UnitKind.JET), bought(win(stars=4), bomb_by_units)),
    keep("antimatter_pellets", 4, pellets),
    keep("artificial_heart", 4, converts(Face.HEAL, Face.ENERGY, "beat_for_energy")),
    keep("broadway_star", 5, *stardom(stars=1)),
    discard("brooklyn_bridge", 6, gains(stars=4), district=_BROOKLYN),
    keep("bullet_proof", 4, shrug_off_units),
    keep("can_opener", 4, easier(UnitKind.TANK, 3)),
    keep(
        "carapace",
        3,
        modifier(Quantity.HEALTH_MAX, 2),
        grow_a_shell,
        shed_the_shell,
        shed_at_last,
        most=MANY,
    ),
    discard("central_park", 5, gains(stars=2, health=2), district=_MANHATTAN),
    keep(
        "chameleon",
        4,
        give_up_fame,
        asks_die("turn_die", "turn_to", _may_turn),
        asks_face("turn_to", give_one_up, _may_turn),
    ),
    keep("chinatown_regular", 3, back_in_chinatown),
    keep("climb_the_empire_state_building", 3, on_top_of_the_city),
    discard(
        "columbia_university",
        6,
        bought(win(stars=2), lambda my: (Under(my.seat, "columbia_university", LASTING),)),
        district=_MANHATTAN,
    ),
    discard("coney_island", 4, gains(stars=3), district=_BROOKLYN),
    keep("curse", 4, wounded_get(Token.CURSE)),
    keep("diva", 5, hard_to_outshine),
    keep("drain", 4, drain),
    discard(
        "drink_the_hudson",
        12,
        gains(stars=1, energy=13, health=2),
        district=("manhattan", "brooklyn", "staten_island"),
    ),
    keep("ego_trip", 3, *stardom(energy=1)),
    keep("extra_head", 7, modifier(Quantity.DICE, 1)),
    keep("fireball", 4, burn_the_borough),
    discard("flatiron_building", 3, gains(stars=2), district=_MANHATTAN),
    keep("fury", 4, rage_among_units),
    discard("general_ellis", 5, only_after(UnitKind.TANK), bought(win(stars=3), hurt_all(1))),
    keep("hailing_cabs", 5, hail_cabs),
    discard(
        "holland_tunnel", 9, bought(win(stars=6), everyone_gains_energy(3)), district=_MANHATTAN
    ),
    keep("hunter", 5, hunt),
    keep("jinx_aura", 4, jinxed),
    keep("king_of_queens", 5, at_home_in_queens),
    keep("leveler", 5, level_it),
    keep("long_neck", 3, easier(UnitKind.JET, 2)),
    keep(
        "natural_selection",
        2,
        gains(energy=4, health=4),
        modifier(Quantity.DICE, 1),
        not_the_fittest,
    ),
    discard("new_york_marathon", 6, closed_streets, gains(stars=2, energy=2, health=2)),
    discard("next_stage", 4, bought(start_over_smaller), energy_or_health),
    keep("of_another_world", 6, health_is_energy, pay_with_health, lose_energy_instead),
    keep("overload", 0, gains(energy=4), overloaded),
    keep("painbow", 5, colour_the_sky),
    keep("personal_spotlight", 5, in_the_spotlight),
    keep("phoenix_blood", 4, rise_from_ashes),
    discard("photo_op", 4, bought(picture_taken), whose_picture),
    discard("power_substation", 5, bought(win(stars=1, energy=8), hurt_me(3))),
    keep("power_tap", 4, tap_power, tap_gifts),
    keep("regeneration", 5, each_turn(health=1)),
    keep("scavenger", 3, rummage, what_to_salvage),
    keep("seismic_ray", 4, shake_elsewhere),
    keep("shadow_double", 12, twice_the_damage),
    keep("sharp_shooter", 4, shoot_far, shot_down),
    goal("statue_of_liberty"),
    keep("stink_attack", 5, reek, whom_to_send),
    keep("stomp", 4, adds(destruction=1)),
    discard("subterranean_cable", 0, bought(win(energy=4), hurt_me(4))),
    discard("subway", 10, bought(win(health=2), again("subway"))),
    keep("super_speed", 4, move_before_rolling),
    goal("superstar"),
    keep("terminal_rage", 4, bought(again()), claws_stay),
    keep("tesla_antennae", 4, attacks_harder(1, _healthier)),
    discard("tesla_cannon", 5, bought(win(stars=2), everyone_discards), which_to_discard),
    discard("the_unisphere", 5, gains(stars=4), district=("queens",)),
    keep("tourist", 6, bought(souvenir), buy_a_souvenir),
    keep("towering_titan", 10, adds(attack=2)),
    keep("trash_thrower", 5, throw_trash),
    keep("trophy_hunter", 5, take_a_trophy),
    keep(
        "universal_soldier",
        6,
        converts(Face.HEAL, Face.ATTACK, "strike_with_hearts"),
        converts(Face.ATTACK, Face.HEAL, "heal_with_claws"),
    ),
    keep("violent_star", 3, star_wars),
    keep("webspinner", 6, wounded_get(Token.WEB)),
    discard("yankee_stadium", 9, gains(stars=5, health=5), district=("bronx",)),
)

TOKENS = {
    Token.CURSE: (pay_for_ouches, lift_the_curse),
    Token.WEB: (fewer_rerolls, tear_the_web),
}

CONDITIONS: dict[str, tuple[Ability, ...]] = {
    "columbia_university": (enrol,),
    "hailing_cabs": (units_only,),
    "subway": (ride, where_to),
}

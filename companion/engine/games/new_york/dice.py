"""Cards of New York that turn, add or convert dice and symbols."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import Instead, Quantity, Query, Stage, Whenever
from companion.engine.base_position import My
from companion.engine.effects.cards import AddCondition, DropCard, WinExtraTurn
from companion.engine.effects.numbers import GainStars, LoseHealth
from companion.engine.effects.turn import (
    AddSymbols,
    Ask,
    Convert,
    DieSpent,
    EndGame,
    EndPhase,
    MarkUsed,
    ResolveFace,
    ResolvePhase,
)
from companion.engine.game import Step
from companion.engine.questions import Answer, Choice, Option
from companion.engine.shared.abilities import (
    all_faces,
    amount_options,
    asks_die,
    asks_face,
    gains,
    instead_of,
    keep,
    modifier,
    modifies,
    my_final_dice,
    offers,
    open_dice,
    turnable_dice,
    whenever,
)
from companion.engine.values import Face

# -- cards that turn dice, add dice or restrict rerolls --------------------------------------------


def _fame_beside(my: My, die: int) -> list[int]:
    """Return the open dice that show CELEBRITY, without this one."""
    faces = my.game.turn.faces
    return [i for i in open_dice(my) if i != die and faces[i] is Face.CELEBRITY]


def _may_turn(my: My, die: int) -> bool:
    """Whether another open die shows CELEBRITY, which turning this one costs."""
    return bool(_fame_beside(my, die))


def _can_give_up_fame(my: My) -> bool:
    fame = Face.CELEBRITY in my.game.turn.faces
    return fame and my_final_dice(my) and any(_may_turn(my, die) for die in turnable_dice(my))


@offers(_can_give_up_fame, waits=True)
def give_up_fame(my: My) -> Answer:
    """Give up a CELEBRITY to turn another die that is not resolved yet."""
    return Ask(my.seat, "turn_die", my.card_id)


def give_one_up(my: My, die: int) -> tuple[Step, ...]:
    """Give up the first other CELEBRITY: it no longer counts."""
    return (DieSpent(my.seat, _fame_beside(my, die)[0]),)


@modifies(Quantity.MUST_ROLL)
def jinxed(my: My, query: Query, must: int) -> int:
    """All others must use every reroll they have (A9)."""
    return 1 if query.seat != my.seat else must


# -- cards that add, convert or look at symbols of the result --------------------------------------


def adds(**symbols: int) -> Whenever:
    """Make an ability that adds symbols before the owner's groups resolve (NY-5.5, B5, H27)."""

    @whenever(ResolvePhase, mine=True)
    def add_symbols(my: My, phase: ResolvePhase) -> Answer:
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
    if my.has_used():
        return None
    turn = my.game.turn.number
    hail = (
        MarkUsed(my.seat, my.ref),
        AddSymbols(my.seat, 2, Face.DESTRUCTION),
        AddCondition(my.seat, "hailing_cabs", turn),
    )
    options = (Option("use", hail), Option("pass", (MarkUsed(my.seat, my.ref),)))
    return Choice(my.seat, "hail_cabs", options, window="dice")


@modifies(Quantity.MAY_DESTROY, mine=True)
def units_only(my: My, query: Query, allowed: int) -> int:
    """This turn's DESTRUCTION cannot destroy buildings (E13)."""
    building = my.rules.tiles[query.card].unit is not None
    return 0 if building else allowed


@whenever(ResolvePhase, mine=True, active_last=True)
def on_top_of_the_city(my: My, phase: ResolvePhase) -> Answer:
    """In Manhattan with all six faces, those of cards included: 2 stars and another turn (H18)."""
    there = my.position.is_inside(my.seat) and all_faces(my)
    return (GainStars(my.seat, 2), WinExtraTurn(my.seat)) if there else None


@whenever(ResolvePhase, mine=True)
def in_the_spotlight(my: My, phase: ResolvePhase) -> Answer:
    """1 star in a turn in which you rolled a CELEBRITY."""
    return GainStars(my.seat, 1) if Face.CELEBRITY in my.game.turn.faces else None


def converts(face: Face, into: Face, name: str) -> Instead:
    """Make an ability by which any number of the owner's results of one face count as another;
    asked when the first of the two groups resolves, so that all of one face count together (NY-6.1,
    NY-G4).
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
        options = amount_options(range(most + 1), turned, into)
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


CARDS = (
    keep(
        "chameleon",
        4,
        give_up_fame,
        asks_die("turn_die", "turn_to", _may_turn),
        asks_face("turn_to", give_one_up, _may_turn),
    ),
    keep("extra_head", 7, modifier(Quantity.DICE, 1)),
    keep("jinx_aura", 4, jinxed),
    keep("artificial_heart", 4, converts(Face.HEAL, Face.ENERGY, "beat_for_energy")),
    keep("climb_the_empire_state_building", 3, on_top_of_the_city),
    keep("fury", 4, rage_among_units),
    keep("hailing_cabs", 5, hail_cabs),
    keep(
        "natural_selection",
        2,
        gains(energy=4, health=4),
        modifier(Quantity.DICE, 1),
        not_the_fittest,
    ),
    keep("overload", 0, gains(energy=4), overloaded),
    keep("painbow", 5, colour_the_sky),
    keep("personal_spotlight", 5, in_the_spotlight),
    keep("stomp", 4, adds(destruction=1)),
    keep("towering_titan", 10, adds(attack=2)),
    keep(
        "universal_soldier",
        6,
        converts(Face.HEAL, Face.ATTACK, "strike_with_hearts"),
        converts(Face.ATTACK, Face.HEAL, "heal_with_claws"),
    ),
)

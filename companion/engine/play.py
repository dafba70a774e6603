"""Carrying out events: answers, powers, corrections, and how far a turn goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import assert_never

from msgspec.structs import replace

from companion.engine.abilities import Offers
from companion.engine.answering import steps_of
from companion.engine.base_position import BasePosition, mine
from companion.engine.effects.base import with_monster, with_number, with_turn
from companion.engine.effects.cards import CardRevealed, DrawCard, TakeFromDiscards
from companion.engine.effects.tiles import StackGone, TileRevealed
from companion.engine.effects.turn import Ask, TurnOver
from companion.engine.events import (
    UNNAMED,
    AnyEvent,
    CardShown,
    Chosen,
    Corrected,
    DiceRolled,
    IllegalEvent,
    OrderChosen,
    PowerUsed,
    PutOff,
    TileShown,
)
from companion.engine.game import AnyStep, Game, Reaction, Step, Together
from companion.engine.index import CarriedAbility
from companion.engine.loop import Outcome, P, Reply, question, run, run_corrected, run_reply
from companion.engine.questions import Choice, Option, Reveal, Roll
from companion.engine.values import CardId, Face, Seat, Value

# -- applying events to a game: the entry points of the engine -------------------------------------


class Offer(Value, frozen=True):
    """A power a seat may use now.

    `card` is the name of the card that gives it, "" for a condition's.
    """

    ref: str
    seat: Seat
    name: str
    card: str = ""
    waits: bool = False


def apply(position: P, event: AnyEvent) -> Outcome[P]:
    """Carry out the event and all that follows from it, up to the next question.

    Raises IllegalEvent when the rules do not allow it now; then nothing has changed.
    """
    if position.game.ended is not None:
        raise IllegalEvent("game_over")
    match event:
        case Chosen() | DiceRolled() | CardShown(slot=None) | TileShown(stack=None):
            return run_reply(position, _reply(position, event))
        case Corrected():
            return run_corrected(position.moved_on(_corrected(position, event)))
        case OrderChosen():
            return run(position.moved_on(_ordered(position, event)))
        case PowerUsed():
            return run(position.moved_on(_powered(position, event)))
        case CardShown(slot=int()) | TileShown(stack=int()):
            return run(position.moved_on(_named(position, event)))
        case _:
            return run_reply(position, _reply(position, event))


def legal_events(position: BasePosition) -> tuple[AnyEvent, ...]:
    """Return the events that seats may send now: answers and powers.

    A Roll has none listed, since its question specifies the dice; a Reveal has one for each name.
    """
    asked = question(position)
    events: list[AnyEvent] = []
    match asked:
        case Choice(seat=seat):
            events += (Chosen(seat, option.key) for option in asked.open())
        case Reveal(slot=slot, names=names):
            shown = TileShown if slot is None else CardShown
            events += (shown(name) for name in names)
        case Roll() | None:
            pass
        case _:
            assert_never(asked)
    return (*events, *(PowerUsed(offer.seat, offer.ref) for offer in offers(position)))


def offers(position: BasePosition) -> tuple[Offer, ...]:
    """Return the powers that may be used now, beside the open question."""
    asked = question(position)
    powers = _powers(position, asked.window) if asked is not None else ()
    return tuple([_offer(position, entry) for entry in powers]) if powers else ()


def _offer(position: BasePosition, entry: CarriedAbility[Offers]) -> Offer:
    card = position.card(entry.card) if entry.card is not None else None
    name = card.name if card is not None else ""
    return Offer(entry.ref, entry.seat, entry.ability.name, name, entry.ability.waits)


def outcome_of_answer(
    position: P, event: AnyEvent, then: tuple[Step, ...] = ()
) -> Outcome[P] | None:
    """Return what an answer or a power does by itself, up to the first question, and after it
    `then`; not what else is on the agenda. A part of a packet happens without the other parts. None
    if it is not allowed now.
    """
    game, below = position.game, tuple(reversed(then))
    try:
        if isinstance(event, PowerUsed):
            steps = _powered(position, event).agenda[len(game.agenda) :]
            return run(position.moved_on(replace(game, agenda=(*below, *steps))))
        reply = _reply(position, event)
    except IllegalEvent:
        return None
    reaction = game.agenda[-1]
    packet = (Together(()),) if isinstance(reaction, Reaction) and reaction.part else ()
    bare = replace(game, agenda=(*below, *packet, reaction))
    only = Reply(reply.steps, again=False, clears_causes=reply.clears_causes)
    return run_reply(position.moved_on(bare), only)


# -- answers ----------------------------------------------------------------------------------


def _reply(position: BasePosition, event: AnyEvent) -> Reply:
    """Match the event with the open question."""
    asked = question(position)
    match asked, event:
        case Choice(), Chosen():
            option = _chosen(asked, event)
            return Reply(option.steps, option.again, clears_causes=True, first=option.first)
        case Roll(), DiceRolled(faces=faces, final=final):
            steps = _rolled(position, asked, event)
            if not (asked.main or final) and any(face in asked.loose for face in faces):
                return Reply((), again=True, clears_causes=False, thrown=faces)
            return Reply(steps, asked.again, clears_causes=False)
        case Reveal(slot=int()), CardShown(name):
            return Reply(_revealed(asked, name), asked.again, clears_causes=False)
        case Reveal(stack=int()), TileShown(name):
            return Reply(_revealed(asked, name), asked.again, clears_causes=False)
        case Reveal(skip=tuple() as skip), PutOff():
            return Reply(skip, again=True, clears_causes=False)
        case None, _:
            raise IllegalEvent("nothing_asked")
        case _:
            raise IllegalEvent("not_asked", asked=asked.key)


def _chosen(choice: Choice, event: Chosen) -> Option:
    """Return the option taken, if it is the seat's to take."""
    if event.seat != choice.seat:
        raise IllegalEvent("not_your_choice", seat=choice.seat)
    for option in choice.options:
        if option.key == event.option:
            if option.barred:
                raise IllegalEvent(f"barred_{option.barred}", lacking=option.lacking)
            return option
    raise IllegalEvent("no_such_option", option=event.option)


def _rolled(position: BasePosition, roll: Roll, event: DiceRolled) -> tuple[Step, ...]:
    """Check the throw (number of dice, this game's faces, only dice that may be thrown, the price)
    and return it.
    """
    faces = event.faces
    if len(faces) != roll.dice:
        raise IllegalEvent("dice_count", seen=len(faces), expected=roll.dice)
    foreign = [face for face in faces if face not in position.rules.faces]
    if foreign:
        raise IllegalEvent("foreign_face", face=foreign[0].value)
    rethrown = thrown_again(roll, faces, event.rethrown)
    if not roll.showing and event.final and roll.owed > 1:
        raise IllegalEvent("must_roll", count=roll.owed - 1)
    if roll.showing:
        thrown = set(rethrown)
        if not thrown.issubset(roll.free):
            raise IllegalEvent("die_not_free")
        changed = [i for i, face in enumerate(roll.showing) if face is not faces[i]]
        if event.rethrown and not thrown.issuperset(changed):
            raise IllegalEvent("kept_die_changed")
        if not rethrown and not event.final:
            raise IllegalEvent("nothing_rethrown")
        price = position.rethrow_price(roll.seat, tuple([roll.showing[i] for i in rethrown]))
        if event.final and roll.owed > bool(rethrown):
            raise IllegalEvent("must_roll", count=roll.owed - bool(rethrown))
        if roll.main and price > position.purse(roll.seat):
            raise IllegalEvent("cannot_pay", price=price)
    return roll.then(faces, rethrown, event.final)


def thrown_again(roll: Roll, faces: tuple[Face, ...], rethrown: tuple[int, ...]) -> tuple[int, ...]:
    """Return the dice thrown again: those that are named, else those whose faces are gone."""
    if rethrown or not roll.showing or faces == roll.showing:
        return rethrown
    return _missing(roll.showing, faces)


def _missing(before: tuple[Face, ...], after: tuple[Face, ...]) -> tuple[int, ...]:
    """Return dice that must have been rethrown, because their faces are gone."""
    gone = Counter(before) - Counter(after)
    found = []
    for i, face in enumerate(before):
        if gone[face]:
            gone[face] -= 1
            found.append(i)
    return tuple(found)


def _revealed(reveal: Reveal, name: str | None) -> tuple[Step, ...]:
    """Check the name that the table gave, and return its steps."""
    unnamed = reveal.secret and name == UNNAMED
    if name is not None and name not in reveal.names and not unnamed:
        raise IllegalEvent("cannot_turn_up", name=name)
    return reveal.then(name)


# -- events at any time -------------------------------------------------------------------------


def _ordered(position: BasePosition, event: OrderChosen) -> Game:
    """Set the order of groups for the active Monster (NY-6.2)."""
    turn = position.game.turn
    if event.seat != turn.active:
        raise IllegalEvent("not_your_turn", seat=turn.active)
    if len(set(event.faces)) != len(event.faces):
        raise IllegalEvent("face_twice")
    foreign = next((face for face in event.faces if face not in position.rules.faces), None)
    if foreign is not None:
        raise IllegalEvent("foreign_face", face=foreign.value)
    return with_turn(position.game, order=event.faces)


def _powers(position: BasePosition, window: str) -> Sequence[CarriedAbility[Offers]]:
    """Return the powers on offer, without those whose own question is still open: used again, their
    questions could pile up without end.
    """
    found = position.powers(window)
    if not found:
        return ()
    asking = {
        step.effect.source
        for step in position.game.agenda
        if type(step) is Reaction and type(step.effect) is Ask
    }
    return [entry for entry in found if entry.cause not in asking]


def _powered(position: BasePosition, event: PowerUsed) -> Game:
    """Put the steps of a power on top of the open question."""
    asked = question(position)
    window = asked.window if asked is not None else ""
    entry = next((e for e in _powers(position, window) if e.ref == event.ref), None)
    if entry is None or entry.seat != event.seat:
        raise IllegalEvent("no_such_offer")
    answer = entry.ability.steps(mine(position, entry))
    assert not isinstance(
        answer, Choice | Roll | Reveal | None
    )  # a power asks by an effect (`Ask`)
    steps = tuple(
        step if isinstance(step, Together) else replace(step, source=entry.cause)
        for step in steps_of(answer)
    )
    return replace(position.game, agenda=(*position.game.agenda, *reversed(steps)))


def _named(position: BasePosition, event: CardShown | TileShown) -> Game:
    """Name a card for sale or a building outside its question."""
    game = position.game
    if isinstance(event, CardShown):
        slots = game.in_play.shop
        slot = event.slot if event.slot is not None else 0
        if not 0 <= slot < len(slots) or slots[slot] is not None or event.name is None:
            raise IllegalEvent("already_named")
        if event.name not in (game.deck or game.discards):
            raise IllegalEvent("cannot_turn_up", name=event.name)
        shown = CardRevealed(game.turn.active, slot, _free_id(game), event.name)
        return replace(game, agenda=(*game.agenda, shown))
    stacks = {s.id: s for b in game.boroughs for s in b.stacks}
    stack = stacks.get(event.stack if event.stack is not None else -1)
    if stack is None or stack.top is not None or not stack.left:
        raise IllegalEvent("already_named")
    if event.name is None:
        return replace(game, agenda=(*game.agenda, StackGone(game.turn.active, stack.id)))
    if event.name not in game.tile_pool:
        raise IllegalEvent("cannot_turn_up", name=event.name)
    tile = TileRevealed(game.turn.active, stack.id, event.name)
    return replace(game, agenda=(*game.agenda, tile))


def _free_id(game: Game) -> CardId:
    """Return the next id, beyond those of cards on their way that somebody is just paying for."""
    coming = (s.card for s in game.agenda if isinstance(s, DrawCard | TakeFromDiscards))
    return CardId(max(game.next_id, *(card + 1 for card in coming), 0))


def _corrected(position: BasePosition, event: Corrected) -> Game:
    """Set numbers and places as the table reports them, within their limits."""
    game = _moved(position, event)
    position = position.moved_on(game)
    for number in event.numbers:
        _check_seat(game, number.seat)
        most = position.number_max(number.seat, number.what)
        if not 0 <= number.value <= most:
            raise IllegalEvent("out_of_range", most=most)
        goal = position.rules.goal_stars
        game = with_number(game, number.seat, number.what, number.value, goal)
    return replace(game, clock=game.clock + 1)


def _moved(position: BasePosition, event: Corrected) -> Game:
    """Take all corrected Monsters off the board, then put each back if there is room."""
    game = position.game
    for moved in event.places:
        _check_seat(game, moved.seat)
        if moved.place not in position.rules.places:
            raise IllegalEvent("no_such_place", place=moved.place)
        game = with_monster(game, moved.seat, place=None)
    for moved in event.places:
        if position.moved_on(game).room(moved.place) <= 0:
            raise IllegalEvent("barred_full")
        game = with_monster(game, moved.seat, place=moved.place)
    return game


def _check_seat(game: Game, seat: Seat) -> None:
    if not 0 <= seat < len(game.monsters):
        raise IllegalEvent("no_such_seat", seat=seat)
    if not game.monsters[seat].alive:
        raise IllegalEvent("out_of_the_game", seat=seat)


# -- playing up to the end of a turn: all of it has happened, the next one has not begun -----------


def run_to_turn_end(position: P) -> Outcome[P]:
    """Return the position once something is asked, or the turn has ended."""
    rest, end = _split_off(position)
    return _with_end(run(rest), end)


def apply_to_turn_end(position: P, event: AnyEvent) -> Outcome[P]:
    """Return the position after the event and what follows from it in this turn.

    Raises IllegalEvent as `apply` does.
    """
    rest, end = _split_off(position)
    return _with_end(apply(rest, event), end)


def is_turn_end(game: Game) -> bool:
    """Whether nothing of the turn is left but its end."""
    return len(game.agenda) == 1 and isinstance(game.agenda[0], TurnOver)


def _split_off(position: P) -> tuple[P, tuple[AnyStep, ...]]:
    """Split the position from the end of its turn."""
    game = position.game
    if not game.agenda or not isinstance(game.agenda[0], TurnOver):
        return position, ()
    return position.moved_on(replace(game, agenda=game.agenda[1:])), game.agenda[:1]


def _with_end(outcome: Outcome[P], end: tuple[AnyStep, ...]) -> Outcome[P]:
    game = outcome.game
    if game.ended is not None:
        return outcome
    position = outcome.position.moved_on(replace(game, agenda=(*end, *game.agenda)))
    return replace(outcome, position=position)

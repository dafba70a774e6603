"""What answers would do: alone, ahead of their time, in pairs, and every throw."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.base_position import BasePosition
from companion.engine.effects.numbers import SpendEnergy
from companion.engine.effects.turn import (
    BeginTurn,
    ChooseGroup,
    DiceFinal,
    ResolveFace,
    ResolvePhase,
)
from companion.engine.events import (
    AnyEvent,
    Chosen,
    DiceRolled,
    Health,
    IllegalEvent,
    OrderChosen,
    Places,
)
from companion.engine.game import Game, Step
from companion.engine.loop import Outcome, P, question, run
from companion.engine.play import apply, outcome_of_answer, thrown_again
from companion.engine.questions import Choice, Option, Roll
from companion.engine.shared.turn import best_order
from companion.engine.values import Change, Ended, Face, Monster, Number, Seat, Value

# -- previews: what Apply, or an answer, would do. Numbers, never sentences ------------------------


class PreviewRow(Value, frozen=True):
    """What one group of dice does. `provisional`: an answer still to come may change it.

    `key` is the face, with ".nothing" behind it if the group does nothing.
    """

    face: Face
    count: int
    key: str
    args: dict[str, str | int]
    changes: tuple[Change, ...] = ()
    provisional: bool = False


class Preview(Value, frozen=True):
    """What these dice would do: a row a group in the order of resolution.

    `merges`: Apply would also end the turn, since nothing can be bought, moved or used after it.
    `changes`: what the throw itself does: its price, or all of it if it is not the turn's own
    roll. `lacking`: so much energy is missing for it. `entering`: what taking the city brings,
    if the dice lead into it. `falls`: who is out by it, and `endangered` who would be unless an
    answer still to come saves it; `ended`: the result, if the game ends with it; `reaches`: the
    active Monster has the stars that win at the end of its turn.
    """

    rows: tuple[PreviewRow, ...]
    order: tuple[Face, ...]
    merges: bool
    changes: tuple[Change, ...] = ()
    lacking: int = 0
    entering: tuple[Change, ...] = ()
    falls: tuple[Seat, ...] = ()
    endangered: tuple[Seat, ...] = ()
    ended: Ended | None = None
    reaches: bool = False


def preview(
    position: BasePosition,
    faces: tuple[Face, ...],
    order: tuple[Face, ...] = (),
    rethrown: tuple[int, ...] = (),
) -> Preview:
    """Compute what Apply with these dice (all, or the first few) would do to everybody; `rethrown`
    are those of the dice entered before that were thrown again for it.

    Each group is computed on the position the groups before it leave, the first with what the final
    roll sets off; behind a question still to be answered, on the position as it stands then, and
    marked provisional.
    """
    game, rules = position.game, position.rules
    seat = game.turn.active
    paid, lacking = _paid(position, faces, rethrown)
    so_far, asked = _before_groups(paid, faces)
    wanted = order or best_order(so_far)
    rows: list[PreviewRow] = []
    before = paid.game
    for face in (*wanted, *(f for f in rules.sensible if f not in wanted)):
        count = so_far.count(face)
        if not count:
            continue
        outcome = _run_alone(so_far, ChooseGroup(seat, face), ResolveFace(seat, count, face))
        changes = changed(before, outcome.game)
        asked = asked or outcome.question is not None
        key = face.value if changes or outcome.question is not None else f"{face.value}.nothing"
        rows.append(PreviewRow(face, count, key, _about(so_far, face, count), changes, asked))
        before = replace(outcome.game, agenda=())
        so_far = so_far.moved_on(before)
    chosen = tuple(row.face for row in rows)
    rolled = DiceRolled(faces, rethrown, final=True)
    after = _applied(position, OrderChosen(seat, chosen), rolled)
    entering = _entering(so_far)
    found = Preview(
        tuple(rows), chosen, _ends_turn(game, after), changed(game, paid.game), lacking, entering
    )
    return found if after is None else _with_outcomes(found, position, so_far.game, after)


def _run_alone(position: P, *steps: Step) -> Outcome[P]:
    """Return the outcome of these steps with nothing else on the agenda."""
    return run(position.moved_on(replace(position.game, agenda=tuple(reversed(steps)))))


def _with_outcomes(found: Preview, position: BasePosition, previewed: Game, after: Game) -> Preview:
    """Add who falls and who wins, for certain or as the rows foretell."""
    game, rules = position.game, position.rules
    seat = game.turn.active
    falls = _fallen(game, after)
    endangered = tuple(one for one in _fallen(game, previewed) if one not in falls)
    entered = [one.after for one in found.entering if (one.seat, one.what) == (seat, Number.STARS)]
    stars = max(previewed.monsters[seat].stars, after.monsters[seat].stars, *entered)
    return replace(
        found,
        falls=falls,
        endangered=endangered,
        ended=after.ended,
        reaches=after.ended is None
        and after.turn.number == game.turn.number
        and stars >= rules.goal_stars
        and seat not in (*falls, *endangered),
    )


def _fallen(before: Game, after: Game) -> tuple[Seat, ...]:
    pairs = zip(before.monsters, after.monsters, strict=True)
    return tuple(old.seat for old, new in pairs if old.alive and not new.alive)


def _entering(position: BasePosition) -> tuple[Change, ...]:
    """Return what entering the city does, if the active Monster must; nothing while somebody in
    it may still decide (NY-13.2, TK-9.1).
    """
    seat = position.game.turn.active
    if position.is_inside(seat):
        return ()
    after = _run_alone(position, position.rules.entering(seat)).position
    return changed(position.game, after.game) if after.is_inside(seat) else ()


def preview_throw(
    position: BasePosition, faces: tuple[Face, ...], rethrown: tuple[int, ...] = ()
) -> Preview:
    """Compute what a throw that is not the turn's own roll does for the seat that makes it, before
    the turn ends; nothing for another number of dice, or if one that stays shows something else.
    """
    game, asked = position.game, question(position)
    rolled = DiceRolled(faces, rethrown, final=True)
    if not isinstance(asked, Roll) or len(faces) != asked.dice:
        return Preview((), (), merges=False)
    try:
        outcome = apply(position, rolled)
    except IllegalEvent:
        return Preview((), (), merges=False)
    ends = (i for i, effect in enumerate(outcome.performed) if isinstance(effect, BeginTurn))
    monsters = next((outcome.before[i] for i in ends), outcome.game.monsters)
    changes = _differing(game.monsters, monsters)
    mine = tuple(change for change in changes if change.seat == asked.seat)
    after = outcome.game
    return Preview(
        (), (), _ends_turn(game, after), mine, falls=_fallen(game, after), ended=after.ended
    )


def _paid(position: P, faces: tuple[Face, ...], rethrown: tuple[int, ...]) -> tuple[P, int]:
    """Return the position after paying for rethrown dice, and how much energy that lacks."""
    asked = question(position)
    if not isinstance(asked, Roll) or not asked.showing:
        return position, 0
    again = tuple(i for i in rethrown if 0 <= i < asked.dice)
    if len(faces) == asked.dice:
        again = thrown_again(asked, faces, again)
    price = position.rethrow_price(asked.seat, tuple(asked.showing[i] for i in again))
    if not price:
        return position, 0
    paid = _run_alone(position, SpendEnergy(asked.seat, price)).position
    return paid, max(0, price - position.purse(asked.seat))


def _before_groups(position: P, faces: tuple[Face, ...]) -> tuple[P, bool]:
    """Return the position with these dice final and no group resolved, and whether something is
    asked before the first group. What answers the final roll has answered, unless it had before.
    """
    game = position.game
    seat = game.turn.active
    turn = replace(game.turn, faces=faces, final=True, spent=(), resolved=())
    rolled = position.moved_on(replace(game, turn=turn, agenda=()))
    if game.turn.final:
        return rolled, False
    final = _run_alone(rolled, DiceFinal(seat))
    none_left = replace(final.game.turn, resolved=position.rules.faces)  # no group is chosen
    phase = replace(final.game, turn=none_left, agenda=(ResolvePhase(seat),))
    opened = run(final.position.moved_on(phase))
    asked = final.question is not None or opened.question is not None
    turn = replace(opened.game.turn, resolved=())
    return opened.position.moved_on(replace(opened.game, turn=turn, agenda=())), asked


def consequences(position: BasePosition, event: AnyEvent) -> tuple[Change, ...]:
    """Compute what an answer or a power does by itself to each seat, as far as it is certain, and
    the entering of the city that it forces (NY-13.7, TK-9.4); not what the turn goes on to do.
    Empty if it is not allowed now.
    """
    game, asked = position.game, question(position)
    fleeing = isinstance(event, Chosen) and asked is not None and asked.window == "flee"
    then = (position.rules.entering(game.turn.active),) if fleeing else ()
    alone = outcome_of_answer(position, event, then)
    return () if alone is None else changed(game, alone.game)


def changed(before: Game, after: Game) -> tuple[Change, ...]:
    """Return every number that differs, in seat order."""
    return _differing(before.monsters, after.monsters)


def _differing(before: tuple[Monster, ...], after: tuple[Monster, ...]) -> tuple[Change, ...]:
    changes = []
    for old, new in zip(before, after, strict=True):
        if old is new:
            continue
        rows = ((what, old.number(what), new.number(what)) for what in Number)
        changes += [Change(old.seat, what, a, b) for what, a, b in rows if a != b]
    return tuple(changes)


def _about(position: BasePosition, face: Face, count: int) -> dict[str, str | int]:
    """Return the numbers for the sentence of a row."""
    seat = position.game.turn.active
    about: dict[str, str | int] = {"count": count}
    area = position.area(seat)
    if area is not None:
        about["area"] = area
    for name, number in position.rules.looks_at.get(face, {}).items():
        about[name] = number(position, seat)
    return about


def _applied(position: BasePosition, order: OrderChosen, dice: DiceRolled) -> Game | None:
    """Return the position after Apply; None if these dice cannot be applied yet."""
    try:
        return apply(apply(position, order).position, dice).game
    except IllegalEvent:
        return None


def _ends_turn(game: Game, after: Game | None) -> bool:
    """Whether the turn, or the game, has ended by then."""
    return after is not None and (after.ended is not None or after.turn.number > game.turn.number)


# -- answers set ahead: what a seat wants answered when its question comes -------------------------


class Ahead(Value, frozen=True):
    """What a Monster does when claws hit it in the city (NY-13.6, TK-10.1).

    It flees when staying would leave it less than `flee_below` health, and stays when that would
    leave it more than `stay_above`; in between, and if one of them is None, it is asked. `to`
    are the places it flees to, the first that has room; without any, the only one there is.
    """

    flee_below: Health | None = None
    stay_above: Health | None = None
    to: Places = ()

    @property
    def contradicts_itself(self) -> bool:
        """Whether some health would make it both flee and stay."""
        flee, stay = self.flee_below, self.stay_above
        return flee is not None and stay is not None and stay < flee - 1


def answer_ahead(position: BasePosition, seat: Seat, ahead: Ahead) -> Chosen | None:
    """Return the seat's answer by what it set ahead; None if it has to be asked."""
    asked = question(position)
    if not isinstance(asked, Choice) or asked.seat != seat or asked.window != "flee":
        return None
    stay = next((option for option in asked.open() if option.place is None), None)
    if stay is None:
        return None
    left = _health_left(position, asked, stay)
    option: Option | None = None
    if ahead.flee_below is not None and left < ahead.flee_below:
        option = _way_out(asked, ahead.to)
    elif ahead.stay_above is not None and left > ahead.stay_above:
        option = stay
    return Chosen(seat, option.key, ahead=True) if option is not None else None


def _health_left(position: BasePosition, choice: Choice, stay: Option) -> int:
    """Return the health that staying leaves: some are asked before they are hurt."""
    for change in consequences(position, Chosen(choice.seat, stay.key)):
        if (change.seat, change.what) == (choice.seat, Number.HEALTH):
            return change.after
    return position.game.monsters[choice.seat].health


def _way_out(choice: Choice, to: Places) -> Option | None:
    """Return the first place named that has room, or the only one that exists."""
    ways = {option.place: option for option in choice.open() if option.place is not None}
    named = [ways[place] for place in to if place in ways]
    if named:
        return named[0]
    return next(iter(ways.values())) if len(ways) == 1 else None


# -- two Monsters of the city hit by one attack: both may be asked at the same time ----------------


class Pair(Value, frozen=True):
    """What the answers of two Monsters to one attack lead to: where the attacker then enters the
    city, if it does, and what that changes for it. `flees`: the one asked now, `other_flees`: the
    one asked after it.
    """

    flees: bool
    other_flees: bool
    place: str | None
    changes: tuple[Change, ...] = ()


def asked_next(position: BasePosition) -> Choice | None:
    """Return the question of the second Monster that the attack hit, as it is where the first one
    stays; None unless it is asked whatever the first one answers.
    """
    asked = _flight(position)
    if asked is None:
        return None
    found = [_second(position, asked, option) for option in _kinds(asked)]
    first = found[0] if found else None
    if first is None or any(one is None or one[1].seat != first[1].seat for one in found):
        return None
    return first[1]


def pairs(position: BasePosition) -> tuple[Pair, ...]:
    """Return what each pair of answers leads to, if two Monsters are asked; else nothing."""
    asked = _flight(position)
    if asked is None or asked_next(position) is None:
        return ()
    found: list[Pair] = []
    for option in _kinds(asked):
        second = _second(position, asked, option)
        assert second is not None
        after, then = second
        found += (_pair(after, then, option, other) for other in _kinds(then))
    return tuple(found)


def _pair(position: BasePosition, then: Choice, option: Option, other: Option) -> Pair:
    active = position.game.turn.active
    event = Chosen(then.seat, other.key)
    alone = outcome_of_answer(position, event, (position.rules.entering(active),))
    flees, other_flees = option.place is not None, other.place is not None
    if alone is None or not alone.position.is_inside(active):
        return Pair(flees, other_flees, None)
    changes = changed(position.game, alone.game)
    return Pair(
        flees,
        other_flees,
        alone.game.monsters[active].place,
        tuple(change for change in changes if change.seat == active),
    )


def _flight(position: BasePosition) -> Choice | None:
    """Return the open question if it is whether to leave the city."""
    asked = question(position)
    return asked if isinstance(asked, Choice) and asked.window == "flee" else None


def _kinds(choice: Choice) -> tuple[Option, ...]:
    """Return staying and the first way out: where somebody flees to changes nothing here."""
    stay = [option for option in choice.open() if option.place is None]
    away = [option for option in choice.open() if option.place is not None]
    return (*stay[:1], *away[:1])


def _second(position: P, asked: Choice, option: Option) -> tuple[P, Choice] | None:
    """Return the question to another Monster that follows at once, with its position."""
    after = apply(position, Chosen(asked.seat, option.key)).position
    then = _flight(after)
    is_same_turn = after.game.turn.number == position.game.turn.number
    if then is None or then.seat == asked.seat or not is_same_turn:
        return None
    return after, then

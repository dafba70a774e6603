"""The open question, and the powers that may be used now, as a phone gets them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from msgspec.structs import replace

from companion.engine import (
    Change,
    Choice,
    Chosen,
    DiceRolled,
    Effect,
    Face,
    Game,
    IllegalEvent,
    Number,
    Option,
    Pair,
    Position,
    PowerUsed,
    PreviewRow,
    Question,
    RethrowDie,
    Reveal,
    Roll,
    Seat,
    SmashBuilding,
)
from companion.service import wire
from companion.service.people.rights import is_secret
from companion.service.views.news import IdentityCache
from companion.service.views.words import label, prompt
from companion.service.wire import Args, QuestionKind, Words
from companion.table import Entry, State
from companion.table.history import is_open

KINDS: dict[type[Question], QuestionKind] = {
    Choice: QuestionKind.CHOICE,
    Roll: QuestionKind.ROLL,
    Reveal: QuestionKind.REVEAL_CARD,
}
_ASKED_NEXT = IdentityCache[Position, Choice | None]()
_PAIRS = IdentityCache[Position, tuple[Pair, ...]]()


def question_view(
    position: Position, state: State, *, since_roll: tuple[Effect, ...] = ()
) -> wire.Question | None:
    """Return the open question; None if the game is over. `since_roll`: effects since the roll."""
    question = state.question
    if question is None:
        return None
    view = _base(position, question, state.question_id)
    match question:
        case Choice():
            return _with_second(view, position, state)
        case Roll():
            return replace(
                view,
                dice=question.dice,
                rethrow=question.free,
                showing=question.showing,
                counted=question.counted,
                owed=question.owed,
                main=question.main,
                prices=question.prices,
                left=question.left,
                more=question.more,
            )
        case Reveal():
            found = replace(
                view,
                nameable=nameable(position, question),
                skippable=question.skip is not None,
            )
            if question.stack is None:
                return found
            return _with_stack(found, position, question.stack, since_roll)


def _base(position: Position, question: Question, id_: str) -> wire.Question:
    """Return what every question has, and the options of a choice."""
    seat = question.seat if question.seat >= 0 else None
    own = position.game.turn.active if seat is None else seat
    everybody = tuple(range(len(position.game.monsters)))
    view = wire.Question(
        id=id_,
        kind=KINDS[type(question)],
        key=question.key,
        prompt=prompt(question),
        window=question.window,
        seat=seat,
        may_answer=(own,) if is_secret(question) else everybody,
        secret=is_secret(question),
    )
    if not isinstance(question, Choice):
        return view
    return replace(
        view,
        options=tuple(_option(position, question, option) for option in question.options),
        place=None if seat is None else position.game.monsters[seat].place,
        clause=question.clause or None,
    )


def _with_stack(
    view: wire.Question, position: Position, stack: int, since_roll: tuple[Effect, ...]
) -> wire.Question:
    """Add which stack is asked about, and what has fallen from it since the last roll."""
    borough, _ = position.stack(stack)
    smashed = (
        effect.name
        for effect in reversed(since_roll)
        if isinstance(effect, SmashBuilding) and effect.stack == stack
    )
    tile = next(smashed, None)
    unit = None if tile is None else position.rules.tiles[tile].unit
    return replace(
        view,
        kind=QuestionKind.REVEAL_TILE,
        place=borough.area,
        fallen=None if tile is None or unit is None else wire.Fallen(tile=tile, unit=unit.value),
        stack=1 + [one.id for one in borough.stacks].index(stack),
        stacks=len(borough.stacks),
    )


def _asked_next(position: Position) -> Choice | None:
    return _ASKED_NEXT.of((position,), position.asked_next)


def early_view(position: Position, state: State) -> wire.Question | None:
    """Return the question of a second seat hit by the same attack, before it is asked; None if
    no second seat was hit, or it has already answered.
    """
    first, second = state.question, _asked_next(position)
    if not isinstance(first, Choice) or second is None or state.early:
        return None
    view = _base(position, second, f"{state.question_id}+{second.seat}")
    view = _with_other(view, position, _other(position, first.seat, None), second=True)
    return replace(view, early=True)


def _with_second(view: wire.Question, position: Position, state: State) -> wire.Question:
    """Add what the answer of a second seat hit by the same attack changes."""
    second = _asked_next(position)
    if second is None:
        return view
    given = next((one.option for one in state.early if one.seat == second.seat), None)
    answered = next((one for one in second.options if one.key == given), None)
    flees = None if answered is None else answered.place is not None
    words = None
    if answered is not None:
        words = label(second, answered, option_args(position, answered))
    other = _other(position, second.seat, words)
    return _with_other(view, position, other, second=False, known=flees)


def with_first(
    view: wire.Question | None, position: Position, before: Entry | None
) -> wire.Question | None:
    """Add what the seat that was asked first about the same attack has answered, and what each
    answer leads to now; `before`: the newest row that counts.
    """
    asked, then = position.question, before.before.position if before is not None else None
    if view is None or before is None or then is None or not isinstance(asked, Choice):
        return view
    first, given, second = then.question, before.event, _asked_next(then)
    if not isinstance(given, Chosen) or not isinstance(first, Choice) or second is None:
        return view
    option = next((one for one in first.options if one.key == given.option), None)
    if option is None or (first.seat, second.seat) != (given.seat, asked.seat):
        return view
    words = label(first, option, option_args(then, option))
    other = replace(_other(position, first.seat, words), place=then.game.monsters[first.seat].place)
    return _with_other(view, then, other, second=True, known=option.place is not None)


def _other(position: Position, seat: Seat, answer: Words | None) -> wire.OtherTarget:
    monster = position.game.monsters[seat]
    return wire.OtherTarget(seat=seat, place=monster.place, health=monster.health, answer=answer)


def _with_other(
    view: wire.Question,
    position: Position,
    other: wire.OtherTarget,
    *,
    second: bool,
    known: bool | None = None,
) -> wire.Question:
    """Add the other seat that was hit, and what each answer leads to for each answer of the other,
    or for the one that is known. `second`: the seat that reads it is asked second.
    """
    options = tuple(
        replace(
            one,
            consequence=tuple(each for each in one.consequence if each.seat == view.seat),
            by_other=_if_other_answers(
                position, other.seat, one.place is not None, second=second, known=known
            ),
        )
        for one in view.options
    )
    return replace(view, options=options, also=(other,))


def _if_other_answers(
    position: Position, other: int, flees: bool, *, second: bool, known: bool | None
) -> tuple[wire.IfOtherAnswers, ...]:
    """Return what fleeing or staying leads to for each answer of the other seat, or for the one
    that is known.
    """
    active, found = position.game.turn.active, []
    for pair in _PAIRS.of((position,), position.pairs):
        mine, others = pair.flees, pair.other_flees
        if second:
            mine, others = others, mine
        if mine is flees and known in {None, others}:
            mover = None if pair.place is None else active
            one = wire.IfOtherAnswers(
                other=other, flees=others, mover=mover, place=pair.place, changes=pair.changes
            )
            found.append(one)
    return tuple(found)


def nameable(position: Position, question: Reveal) -> tuple[wire.Nameable, ...]:
    """Return the names that may be revealed, with how many of each are not seen yet."""
    unseen = (
        position.game.tile_pool
        if question.stack is not None
        else position.game.deck or position.game.discards
    )
    left = Counter(unseen)
    cards = position.rules.cards if question.stack is None else {}
    return tuple(
        wire.Nameable(name=name, left=left[name], cost=cards[name].cost if name in cards else 0)
        for name in question.names
    )


def _option(position: Position, question: Choice, option: Option) -> wire.Option:
    may = not option.barred
    does = position.consequences(Chosen(question.seat, option.key)) if may else ()
    return wire.Option(
        key=option.key,
        label=label(question, option, option_args(position, option)),
        enabled=may,
        reason=None
        if may
        else Words(key=f"barred.{option.barred}", args={"count": option.lacking}),
        place=option.place,
        card=option.card,
        tile=option.stack if option.stack is not None else option.unit,
        face=option.face,
        consequence=does,
        out=any(
            (one.seat, one.what) == (question.seat, Number.HEALTH) and one.after <= 0
            for one in does
        ),
        notes=notes(position, question, option),
    )


def notes(position: Position, question: Choice, option: Option) -> tuple[Words, ...]:
    """Return the notes of an answer: its warning, or what staying in the city pays next turn."""
    if option.warning:
        return (Words(key=f"warning.{option.warning}", args=option_args(position, option)),)
    place = position.place(question.seat)
    if question.window != "flee" or option.place is not None or place is None:
        return ()
    if not place.stars:
        return ()
    key = "note.stars_and_energy" if place.energy else "note.stars"
    return (Words(key=key, args={"count": place.stars, "energy": place.energy}),)


def answer_words(position: Position, question: Choice, key: str) -> Words | None:
    """Return an answer as the phone words it; None if the question has no such answer."""
    option = next((one for one in question.options if one.key == key), None)
    return None if option is None else label(question, option, option_args(position, option))


def option_args(position: Position, option: Option) -> Args:
    """Return the placeholders' values of what the option is about."""
    found: Args = {}
    if option.count is not None:
        found["count"] = option.count
    if option.place is not None:
        found["place"] = option.place
    if option.face is not None:
        found["face"] = option.face.value
    if option.die is not None:
        found["die"] = option.die + 1
    if option.card is not None:
        card = position.for_sale(option.card) or position.card(option.card)
        found["card"] = card.name if card is not None else ""
    if option.name:
        found["card"] = option.name
    if option.other is not None:
        found["other"] = option.other
    if option.stack is not None:
        found["tile"] = position.stack(option.stack)[1].top or "unknown"
    if option.unit is not None:
        units = position.borough_of_unit(option.unit).units
        found["unit"] = next(unit.kind.value for unit in units if unit.id == option.unit)
    return found


def after_staying(position: Position) -> Position:
    """Return the position itself, or if a move may be declined, the one that "stay" leads to.

    A phone that buys, sweeps or ends the turn sends "stay" in the same command.
    """
    question = position.question
    if not isinstance(question, Choice) or question.window != "move":
        return position
    if not is_open(question, "stay"):
        return position
    return position.apply(Chosen(question.seat, "stay")).position


def answers_that_end(position: Position) -> tuple[str, ...]:
    """Return the answers with which the active Monster ends its turn now, in order; none if
    something else is asked first.
    """
    turn, question = position.game.turn, position.question
    if not isinstance(question, Choice) or question.seat != turn.active:
        return ()
    then = after_staying(position)
    stays = () if then is position else ("stay",)
    if then.game.turn.number != turn.number or then.question is None:
        return stays
    buying = then.question.window == "buy" and is_open(then.question, "end")
    return (*stays, "end") if buying else ()


def offer_views(position: Position) -> tuple[wire.Offer, ...]:
    """Return every open offer, with what using it does."""
    return tuple(
        wire.Offer(
            ref=offer.ref,
            seat=offer.seat,
            label=_label(offer.name, offer.seat, offer.card),
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
    """If the asked seat can have a final die thrown again: add the dice, what they do now, and what
    each new throw could do. The offer states the price.
    """
    ways = _rethrowable(position)
    if not ways:
        return view
    lying, known = position.game.turn.faces, dict[tuple[Face, ...], tuple[Change, ...]]()

    def leads_to(faces: tuple[Face, ...]) -> tuple[Change, ...]:
        alike = tuple(sorted(faces))
        if alike not in known:
            changed = sorted(totals(position.preview(faces).rows).items())
            known[alike] = tuple(one for _, one in changed if one.before != one.after)
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
            wire.DieOutcome(len(some), of, tuple(some), what, loses)
            for (what, loses), some in outcomes
        )
        odds.append(wire.DieOdds(die=die, face=lying[die], outcomes=rows, option=option, ref=ref))
    return replace(view, lying=lying, as_it_lies=leads_to(lying), odds=tuple(odds))


def _rethrowable(position: Position) -> tuple[tuple[str, str, int], ...]:
    """Return the final dice that the asked seat may have thrown again, each with the power to use
    first, "" if none is, and the answer: to the open question, or to the one that the power
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
    """Return the position in which the die is thrown; None if something else is asked first."""
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
    """Return the cards that the seat having the die thrown loses if it shows this face."""
    asked = thrown.question
    assert isinstance(asked, Roll)
    with suppress(IllegalEvent):
        after = thrown.apply(DiceRolled((face,), final=True)).position
        return tuple((_cards(thrown, asked.seat) - _cards(after, asked.seat)).elements())
    return ()


def _cards(position: Position, seat: int) -> Counter[str]:
    return Counter(card.name for card in position.game.in_play.cards if card.owner == seat)


def totals(rows: Iterable[PreviewRow]) -> dict[tuple[Seat, Number], Change]:
    """Return the total change of each number over all groups of a roll."""
    found: dict[tuple[Seat, Number], Change] = {}
    for row in rows:
        for change in row.changes:
            key = (change.seat, change.what)
            before = found[key].before if key in found else change.before
            found[key] = Change(change.seat, change.what, before, change.after)
    return found

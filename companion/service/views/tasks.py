"""Tasks with the box since the last roll, and reminders of what a table would forget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from companion.engine import (
    AddCounters,
    BuyCard,
    Choice,
    CopyCard,
    DestroyUnit,
    DrawCard,
    DropCard,
    Effect,
    Eliminate,
    Face,
    Game,
    GiveTokens,
    MoveTo,
    MoveUnit,
    Number,
    Position,
    RemoveTokens,
    Roll,
    SmashBuilding,
    SpendCounters,
    StartAgain,
    SweepShop,
    TakeCard,
    TakeFromDiscards,
    TakeGoal,
)
from companion.service import wire
from companion.service.views.news import (
    IdentityCache,
    Share,
    Step,
    cause_words,
    clauses,
    happening,
    steps_of,
)
from companion.service.wire import Args, Words
from companion.table import Entry, Snapshot, State

DIALS = {Number.STARS: "victory_star", Number.HEALTH: "heal"}
"""Numbers that a dial shows, with their signs; energy is a pile of cubes."""
PLAIN = {Number.HEALTH: "because.heal", Number.ENERGY: "because.energy"}
"""Causes that need not be said if they are the only one: hearts heal, energy is energy."""
_STEPS = IdentityCache[Entry, list[Step]]()
CardMoved = BuyCard | CopyCard | DrawCard | DropCard | TakeCard | TakeFromDiscards | TakeGoal
CARDS: dict[type[CardMoved], tuple[str, str]] = {
    **dict.fromkeys((BuyCard, DrawCard, TakeCard, TakeFromDiscards), ("effect.buy_card", "cards")),
    CopyCard: ("effect.copy_card", "cards"),
    DropCard: ("effect.drop_card", "cards"),
    TakeGoal: ("effect.take_goal", "crown"),
}
"""Where a card goes by what happened to it: the task's key and sign."""
FORGOTTEN = {
    "reminder.attack_out": (Number.HEALTH,),
    "reminder.no_heal": (Number.HEALTH,),
    "reminder.new_unit": (Number.STARS, Number.ENERGY, Number.HEALTH),
}
"""Reminders of rules that players learn, with the numbers that are wrong if it was forgotten."""


def task_views(snapshot: Snapshot) -> tuple[wire.Hand, ...]:
    """Return the tasks after the last roll. A task keeps its id until what it asks for changes."""
    state = snapshot.state
    if state.game is None:
        return ()
    tasks = _Tasks(state.game)
    for seq in state.since_roll:
        for step in _steps(snapshot.entries[seq - 1]):
            tasks.add(step)
    return tuple(tasks.views(str(state.rolled)))


def _steps(row: Entry) -> list[Step]:
    """Return the effects of the row, in order."""
    one = happening(row)
    return _STEPS.of((row,), lambda: [] if one is None else steps_of([one]))


class _Pile:
    """A number of a Monster since the last roll: what it was, what changed it, what it came to."""

    def __init__(self, before: int) -> None:
        self.before = self.after = before
        self.shares: list[Share] = []


class _Tasks:
    """All that happened since the last roll, taken together."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.numbers: dict[tuple[int, Number], _Pile] = {}
        self.moves: dict[int, tuple[str | None, MoveTo]] = {}
        """Where a Monster stood at first, and its last move."""
        self.tokens: Counter[tuple[int, str]] = Counter()
        self.counters: Counter[tuple[int, str]] = Counter()
        self.cards: dict[int, CardMoved] = {}
        """The last that happened to each card."""
        self.single: list[Effect] = []

    def add(self, step: Step) -> None:
        """Take in one effect. What was set by hand in between, the table shows already."""
        effect = step.effect
        pairs = zip(step.monsters(after=False), step.monsters(after=True), strict=True)
        for old, new in pairs:
            for what in Number if old is not new else ():
                before, after = old.number(what), new.number(what)
                if before == after:
                    continue
                pile = self.numbers.get((old.seat, what))
                if pile is None or pile.after != before:
                    pile = self.numbers[old.seat, what] = _Pile(before)
                pile.after = after
                pile.shares.append(Share(cause_words(step), after - before))
        match effect:
            case MoveTo():
                first, last = self.moves.get(effect.seat, (effect.former, effect))
                moved = last is not effect and last.place != effect.former
                self.moves[effect.seat] = effect.former if moved else first, effect
            case GiveTokens(amount=amount, token=token):
                self.tokens[effect.seat, token.value] += amount
            case RemoveTokens(amount=amount, token=token):
                self.tokens[effect.seat, token.value] -= amount
            case AddCounters(amount=amount, name=name):
                self.counters[effect.seat, name] += amount
            case SpendCounters(amount=amount, name=name):
                self.counters[effect.seat, name] -= amount
            case CopyCard(of=None):
                pass
            case TakeGoal() | CopyCard() | BuyCard() | DropCard() | DrawCard():
                self.cards[effect.card] = effect
            case TakeCard() | TakeFromDiscards():
                self.cards[effect.card] = effect
            case SmashBuilding() | DestroyUnit() | MoveUnit() | SweepShop():
                self.single.append(effect)
            case Eliminate() | StartAgain():
                self.single.append(effect)

    def views(self, mark: str) -> Iterator[wire.Hand]:
        """Yield the tasks: figures, dials and cubes, tokens, cards, tiles."""
        yield from self._figures(mark)
        yield from self._numbers(mark)
        yield from self._tokens(mark)
        yield from self._cards(mark)
        yield from self._tiles(mark)

    def _figures(self, mark: str) -> Iterator[wire.Hand]:
        """Yield who leaves the game or starts again, and which figures stand elsewhere now."""
        for effect in self.single:
            if isinstance(effect, Eliminate | StartAgain):
                out = isinstance(effect, Eliminate)
                key, sign = ("effect.eliminate", "skull") if out else ("effect.start_again", "paw")
                yield _task(mark, key, sign, {"seat": effect.seat})
        for seat, (first, move) in self.moves.items():
            place = self.game.monsters[seat].place
            if self.game.monsters[seat].alive and move.place == place != first:
                args: Args = {"seat": seat, "monster": seat, "place": move.place}
                yield _task(mark, f"effect.move_to.{move.how}", "pin", args)

    def _numbers(self, mark: str) -> Iterator[wire.Hand]:
        """Yield the dials with what they must show, and the cubes to take or put back."""
        for (seat, what), pile in self.numbers.items():
            monster = self.game.monsters[seat]
            now = monster.number(what)
            if now == pile.before or now != pile.after or not monster.alive:
                continue
            if what in DIALS:
                args: Args = {"seat": seat, "count": now}
                task = _task(mark, f"effect.dial.{what}", DIALS[what], args)
                note = Words(key="hands.was", args={"count": pile.before})
            else:
                taken = now - pile.before
                key = "effect.gain_energy" if taken > 0 else "effect.spend_energy"
                task = _task(mark, key, "energy", {"seat": seat, "count": abs(taken)})
                note = Words(key="hands.has", args={"seat": seat, "count": now})
            why = clauses(pile.shares, signed=True)
            plain = [one.words.key for one in why] == [PLAIN.get(what)]
            yield replace(task, note=note, why=() if plain else why)

    def _tokens(self, mark: str) -> Iterator[wire.Hand]:
        """Yield tokens to take or put back, on Monsters and on cards."""
        for (seat, token), count in self.tokens.items():
            if count and self.game.monsters[seat].alive:
                key = "effect.give_tokens" if count > 0 else "effect.remove_tokens"
                yield _task(mark, key, "hand", {"seat": seat, "count": abs(count), "token": token})
        for (seat, card), count in self.counters.items():
            if count and self.game.monsters[seat].alive:
                key = "effect.add_counters" if count > 0 else "effect.spend_counters"
                yield _task(mark, key, "cards", {"seat": seat, "count": abs(count), "card": card})

    def _cards(self, mark: str) -> Iterator[wire.Hand]:
        """Yield where each card goes."""
        for effect in self.cards.values():
            key, sign = CARDS[type(effect)]
            yield _task(mark, key, sign, {"seat": effect.seat, "card": effect.name})

    def _tiles(self, mark: str) -> Iterator[wire.Hand]:
        """Yield what to do with tiles, and with the cards for sale."""
        for n, effect in enumerate(self.single):
            each = f"{mark}-{n}"
            match effect:
                case SmashBuilding(name=name):
                    yield _task(each, "effect.smash_building", "destruction", {"tile": name})
                case DestroyUnit(kind=kind):
                    yield _task(each, "effect.destroy_unit", "destruction", {"unit": kind.value})
                case MoveUnit(kind=kind, area=area):
                    args: Args = {"unit": kind.value, "place": area}
                    yield _task(each, "effect.send_unit", kind.value, args)
                case SweepShop():
                    yield _task(each, "effect.sweep_shop", "sweep", {})


def _task(mark: str, key: str, sign: str, args: Args) -> wire.Hand:
    """Return a task; another number or place makes it a new one."""
    seat = args.get("seat")
    return wire.Hand(
        id="-".join((mark, key.removeprefix("effect."), *map(str, args.values()))),
        sign=sign,
        words=Words(key=key, args=args),
        seat=seat if isinstance(seat, int) and seat >= 0 else None,
    )


def reminder_views(position: Position, state: State) -> tuple[wire.Reminder, ...]:
    """Return the reminders of this position; one with the same reason keeps its id. First, if so,
    that numbers come from the log, not from the rules.
    """
    pinned = Words(key="reminder.pinned")
    found = (wire.Reminder(id=pinned.key, sign="warning", words=pinned),) if state.pinned else ()
    if position.game.ended is not None or position.game.turn.number == 0:
        return found
    return (
        *found,
        *_inside(position),
        *_by_hand(position, state),
        *_closed(position),
        *_at_the_goal(position),
        *_fresh_units(position, state),
    )


def _inside(position: Position) -> tuple[wire.Reminder, ...]:
    """Return reminders for a roll in the city: which Monsters claws hit, whether hearts heal."""
    active = position.game.turn.active
    if not position.is_inside(active) or position.game.turn.final:
        return ()
    args: Args = {"seat": active}
    found = [_reminder(position, "reminder.attack_out", "attack", args, active)]
    hurt = position.game.monsters[active].health < position.health_max(active)
    if hurt and not any(row.changes for row in position.preview((Face.HEAL,)).rows):
        found.append(_reminder(position, "reminder.no_heal", "heal", args, active))
    return tuple(found)


def _by_hand(position: Position, state: State) -> tuple[wire.Reminder, ...]:
    """Return reminders of cards that the engine cannot carry out yet, so their owners do."""
    if not isinstance(state.question, Roll):
        return ()
    active = position.game.turn.active
    return tuple(
        _reminder(
            position, "reminder.card_by_hand", "cards", {"seat": active, "card": card.name}, active
        )
        for card in position.game.in_play.cards
        if card.owner == active and not position.rules.cards[card.name].finished
    )


def _closed(position: Position) -> tuple[wire.Reminder, ...]:
    """Return reminders of places that are not used with so few Monsters any more."""
    dead = any(not monster.alive for monster in position.game.monsters)
    seats = len(position.game.monsters)
    closed = [
        place
        for place in position.rules.places.values()
        if place.entry and place.needs_alive <= seats and not position.is_usable(place)
    ]
    if not dead or not closed:
        return ()
    count = len(position.alive())
    return tuple(
        _reminder(
            position, "reminder.place_closed", "lock", {"place": place.name, "count": count}, None
        )
        for place in closed
    )


def _at_the_goal(position: Position) -> tuple[wire.Reminder, ...]:
    """Return reminders of who has the stars to win, at the end of a turn and only if alive."""
    return tuple(
        _reminder(position, "reminder.survive", "victory_star", {"seat": monster.seat}, None)
        for monster in position.game.monsters
        if monster.alive and monster.reached is not None
    )


def _fresh_units(position: Position, state: State) -> tuple[wire.Reminder, ...]:
    """Return a reminder of Units that came up this turn and so stay."""
    if not isinstance(state.question, Choice) or state.question.window != "destroy":
        return ()
    seat = state.question.seat
    fresh = [unit for unit in position.units(seat) if unit.turn == position.game.turn.number]
    if not fresh:
        return ()
    return (
        _reminder(position, "reminder.new_unit", fresh[0].kind.value, {"count": len(fresh)}, seat),
    )


def _reminder(
    position: Position, key: str, sign: str, args: Args, seat: int | None
) -> wire.Reminder:
    parts = [key.removeprefix("reminder."), str(position.game.turn.number)]
    parts += [str(value) for value in args.values()]
    return wire.Reminder(
        id="-".join(parts),
        sign=sign,
        words=Words(key=key, args=args),
        clause=position.rules.clause(key) or None,
        seat=seat,
        numbers=FORGOTTEN.get(key, ()),
    )

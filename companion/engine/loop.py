"""The agenda loop: the one path by which everything happens.

The agenda is a stack; its last step is the next. A question stops the loop: the Reaction that asks
stays on top and is derived again whenever it is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import force_setattr, replace

from companion.engine.abilities import Whenever
from companion.engine.answering import (
    Answering,
    about_to_fall,
    answering_cards,
    answers_once,
    ask,
    cards_left,
    last_to_first,
    of_same_stage,
    stamped,
    steps_of,
    which_first,
    with_free_rerolls,
)
from companion.engine.base_position import BasePosition, My
from companion.engine.effects import AnyEffect, Effect
from companion.engine.effects.numbers import Damage, Eliminate, ReachedZero
from companion.engine.game import AnyStep, Game, Part, Reaction, Step, Together
from companion.engine.index import AnyCarried, CarriedAbility
from companion.engine.questions import Again, Asking, Question, Roll
from companion.engine.values import TABLE, Face, Monster, Seat

P = TypeVar("P", bound=BasePosition)
P_co = TypeVar("P_co", bound=BasePosition, covariant=True)


class Outcome(msgspec.Struct, Generic[P_co], frozen=True, gc=False):
    """The position after an event, and what happened on the way, in order.

    `before[i]` are the Monsters as `performed[i]` found them; `treated` are the amounts that
    abilities made larger or smaller before they happened.
    """

    position: P_co
    performed: tuple[AnyEffect, ...] = ()
    before: tuple[tuple[Monster, ...], ...] = ()
    treated: tuple[Treated, ...] = ()

    @property
    def game(self) -> Game:
        """The game after the event."""
        return self.position.game

    @property
    def question(self) -> Question | None:
        """What is asked after the event; None if the game is over."""
        return question(self.position)


class Treated(msgspec.Struct, frozen=True):
    """What a replacing ability made of an amount, for explanations. `cause` names it in a history;
    `after` 0: nothing was left.
    """

    ref: str
    cause: str
    seat: Seat
    before: int
    after: int


def run(position: P) -> Outcome[P]:
    """Work through the agenda until nothing is on it, or something is asked."""
    return _Loop(position).run()


def run_corrected(position: P) -> Outcome[P]:
    """Work through the agenda after a correction, which may have set somebody to 0 health."""
    loop = _Loop(position)
    loop.push_eliminations([])
    return loop.run()


def question(position: BasePosition) -> Question | None:
    """Return the open question, derived once for each position; None if the game is over."""
    found = position.open_question
    if found is UNSET:
        found = run(position).position.open_question
        assert found is not UNSET  # a run derives the question
        force_setattr(position, "open_question", found)
    return found


class Reply(msgspec.Struct, frozen=True, gc=False):
    """An answer to the open question, as steps. `again`: the question is asked again after
    the steps; `clears_causes`: a seat chose, so the steps have no earlier cause;
    `first`: the ability that the seat wants first; `thrown`: dice, some of which may
    still be thrown again.
    """

    steps: tuple[Step, ...]
    again: bool
    clears_causes: bool
    first: str = ""
    thrown: tuple[Face, ...] = ()


def run_reply(position: P, reply: Reply) -> Outcome[P]:
    """Answer the Reaction on top, and work on."""
    loop = _Loop(position)
    reaction = loop.stack[-1]
    assert isinstance(reaction, Reaction)  # a question always has its Reaction on top
    if reply.first:
        loop.put_first(reaction, reply.first)
        return loop.run()
    if reply.thrown:
        loop.stack[-1] = replace(reaction, lying=reply.thrown)
        return loop.run()
    entry = position.index.by_ref.get(reaction.ref)
    assert entry is not None  # it has just asked
    if not reply.again:
        loop.stack.pop()
    if reaction.instead:
        loop.note_treatment(entry, reaction.effect, reply.steps)
    loop.push(stamped(reply.steps, reaction, entry, reply.clears_causes), reaction.part)
    return loop.run()


class _Loop(Generic[P]):
    """One run of the agenda. Lives for one call."""

    __slots__ = ("before", "performed", "position", "stack", "start", "treated")

    def __init__(self, position: P) -> None:
        # A question refers to the position that asks it. Derived from a copy, which keeps no
        # question, it makes neither a reference cycle nor a chain of all earlier positions.
        self.position = position.moved_on(position.game)
        self.start = position.game
        self.stack: list[AnyStep] = list(position.game.agenda)
        self.performed: list[AnyEffect] = []
        self.before: list[tuple[Monster, ...]] = []
        self.treated: list[Treated] = []

    def run(self) -> Outcome[P]:
        """Work until the agenda is empty or a question is on top."""
        stack, question = self.stack, None
        while stack and question is None:
            step = stack.pop()
            if type(step) is Reaction:
                question = self._run_reaction(step)
            elif type(step) is Part:
                question = self._process(step.effect, True)
            elif type(step) is Together:
                self._open_packet(step)
            else:
                question = self._process(step, False)
        position = self.position
        game = position.game
        if game is self.start:
            game = replace(game, agenda=tuple(stack))
        else:  # just made, as in `_perform`
            force_setattr(game, "agenda", tuple(stack))
        return Outcome(
            type(position)(game, position.rules, position.index, question),
            tuple(self.performed),
            tuple(self.before),
            tuple(self.treated),
        )

    def _open_packet(self, packet: Together) -> None:
        """Ready the next member of the packet; when all are, perform `first`, then the members."""
        if packet.waiting:
            self.stack.append(replace(packet, waiting=packet.waiting[1:]))
            self.stack.append(Part(packet.waiting[0]))
        elif packet.first:
            self.stack.append(replace(packet, first=()))
            self.stack.append(Together(packet.first))
        else:  # somebody may have died while the others were readied
            self._perform([each for each in packet.ready if not self.position.is_too_late(each)])

    # -- abilities that follow ----------------------------------------------------------------

    def _run_reaction(self, reaction: Reaction) -> Question | None:
        """Ask the ability now; drop it if its carrier, its owner or its occasion is gone."""
        effect, position = reaction.effect, self.position
        if reaction.instead and position.is_too_late(effect):
            return None
        game = position.game
        entry, answer = position.index.by_ref.get(reaction.ref), None
        if entry is not None:
            seat, monsters = entry.seat, game.monsters
            over = effect.while_alive and not position.is_alive(effect.seat)
            if not over and (seat == TABLE or monsters[seat].alive):
                answer = entry.ability.steps(My(position, entry, game, seat), effect)
        if entry is None or answer is None:
            if reaction.instead:
                self._restore_effect(reaction)
            return None
        if type(answer) is tuple and not (reaction.instead or effect.ordered or reaction.part):
            self.stack += stamped(answer, reaction, entry)[::-1]
            return None
        return self._handle_answer(reaction, entry, answer)

    def _handle_answer(
        self,
        reaction: Reaction,
        entry: AnyCarried,
        answer: Question | Again | Step | tuple[Step, ...],
    ) -> Question | None:
        """Ask what an ability asks, or put its steps on the stack."""
        if (reaction.instead or reaction.effect.ordered) and not (
            reaction.chosen or reaction.lying
        ):
            rivals = self._competing(reaction, entry)
            if rivals:
                self.stack.append(reaction)
                return which_first(self.position, rivals, reaction.effect)
        if isinstance(answer, tuple):
            steps = answer
        elif isinstance(answer, Asking):
            self.stack.append(reaction)
            if type(answer) is Roll and not answer.main:
                return with_free_rerolls(self.position, answer, reaction.lying)
            return answer
        elif isinstance(answer, Again):
            self.stack.append(reaction)
            steps = answer.steps
        else:
            steps = (answer,)
        if reaction.instead:
            self.note_treatment(entry, reaction.effect, steps)
        self.push(stamped(steps, reaction, entry), reaction.part)
        return None

    def _competing(self, reaction: Reaction, entry: AnyCarried) -> tuple[AnyCarried, ...]:
        """Return the cards of one owner that would answer the same, this one among them, if
        their order is the owner's to choose and makes a difference; else nothing.
        """
        effect = reaction.effect
        if reaction.instead:
            found = answering_cards(
                self.position, entry, of_same_stage(self.position, entry, effect), effect
            )
            return found if len(found) > 1 else ()
        waiting = map(
            self.position.index.by_ref.get, (reaction.ref, *self._same_effect_refs(reaction))
        )
        found = answering_cards(self.position, entry, (e for e in waiting if e is not None), effect)
        return found if len(found) > 1 and self._order_matters(reaction, found) else ()

    def _same_effect_refs(self, reaction: Reaction) -> list[str]:
        """Return the refs of the next reactions on the stack to the same effect."""
        found = []
        for step in reversed(self.stack):
            if not isinstance(step, Reaction) or step.effect != reaction.effect:
                break
            found.append(step.ref)
        return found

    def _order_matters(self, reaction: Reaction, rivals: tuple[AnyCarried, ...]) -> bool:
        """Whether the order of these abilities changes the result or asks a question."""
        refs, ends = [entry.ref for entry in rivals], set()
        for first in refs:
            order = (first, *(ref for ref in refs if ref != first))
            agenda = tuple(replace(reaction, ref=ref, chosen=True) for ref in reversed(order))
            outcome = run(self.position.moved_on(replace(self.position.game, agenda=agenda)))
            if outcome.question is not None:
                return True
            monsters = tuple(replace(m, reached=None) for m in outcome.game.monsters)
            ends.add(replace(outcome.game, monsters=monsters, clock=0))
        return len(ends) > 1

    def put_first(self, asking: Reaction, ref: str) -> None:
        """Let another ability of the owner of the top Reaction come first."""
        first = replace(asking, ref=ref)
        if asking.instead:
            self.stack.pop()
        else:
            self.stack.remove(first)
        self.stack.append(replace(first, chosen=True))

    def _restore_effect(self, reaction: Reaction) -> None:
        effect = replace(reaction.effect, seen=(*reaction.effect.seen, reaction.ref))
        self.stack.append(Part(effect) if reaction.part else effect)

    def note_treatment(self, entry: AnyCarried, effect: AnyEffect, steps: tuple[Step, ...]) -> None:
        """Record the amount before and after the ability, if it changed it."""
        if not effect.counted:
            return
        kind, seat = type(effect), effect.seat
        before: int = effect.amount  # type: ignore[union-attr]
        same = [s for s in steps if type(s) is kind and s.seat == seat]
        after = sum(s.amount for s in same)  # type: ignore[union-attr,misc]
        if after != before:
            self.treated.append(Treated(entry.ref, entry.cause, seat, before, after))

    def push(self, steps: list[Step], part: bool) -> None:
        """Put steps on the stack so that the first is next; inside a packet they join it.

        A packet inside a packet waits until all members are readied: a card that one member loses
        still works for the others (H34).
        """
        if not part:
            self.stack += reversed(steps)
            return
        for packet in (step for step in steps if type(step) is Together):
            at, around = self._packet()
            self.stack[at] = replace(around, first=(*around.first, *packet.waiting))
        self.stack += [
            step if step.immediate else Part(step)
            for step in reversed(steps)
            if not isinstance(step, Together)
        ]

    # -- an effect, and the abilities that replace it -----------------------------------------

    def _process(self, effect: AnyEffect, part: bool) -> Question | None:
        """Let replacing abilities answer; then the effect happens, or waits for its packet."""
        position = self.position
        if (effect.counted and is_nothing(effect)) or position.is_too_late(effect):
            return None
        for entry in position.index.insteads.get(type(effect), ()):
            if entry.ability.mine and entry.seat != effect.seat:
                continue
            if entry.ref in effect.seen or entry.cause in effect.causes:
                continue
            if not position.is_alive(entry.seat):
                continue
            answer = entry.ability.steps(My(position, entry, position.game, entry.seat), effect)
            if answer is None:
                continue
            reaction = Reaction(entry.ref, effect, instead=True, part=part)
            return self._handle_answer(reaction, entry, answer)
        if part:
            self._join_packet(effect)
        else:
            self._perform([effect])
        return None

    def _join_packet(self, effect: AnyEffect) -> None:
        """Add the readied effect to its packet."""
        at, packet = self._packet()
        self.stack[at] = replace(packet, ready=(*packet.ready, effect))

    def _packet(self) -> tuple[int, Together]:
        """Return the innermost open packet and its place on the stack."""
        for at in range(len(self.stack) - 1, -1, -1):
            packet = self.stack[at]
            if type(packet) is Together:
                return at, packet
        self.stack.insert(0, Together(()))  # a position written by hand may lack it
        return 0, Together(())

    # -- happening ----------------------------------------------------------------------------

    def _perform(self, effects: list[AnyEffect]) -> None:
        """Apply all in order; then push eliminations and reactions in the order they come."""
        position = self.position
        start = game = position.game
        happened: list[AnyEffect] = []
        for effect in effects:
            if happened:
                position = position.moved_on(game)
                if position.is_too_late(effect):
                    continue
            fitted = effect.fitted(position)
            if fitted is not effect and is_nothing(fitted):
                continue
            self.before.append(game.monsters)
            game = fitted.apply(position)
            happened.append(fitted)  # type: ignore[arg-type]
        if not happened:
            return
        if game is start:
            game = replace(game, clock=game.clock + 1)
        else:  # just made, and nobody has seen it: a second copy would cost as much again
            force_setattr(game, "clock", game.clock + 1)
        self.position = position = position.moved_on(game)
        self.performed += happened
        if game.ended is not None:
            self.stack.clear()
            return
        first: Sequence[AnyStep] = ()
        if len(happened) > 1:
            first = self._push_reactions(happened)
        elif (kind := type(happened[0])) in position.index.whenevers:
            only = position.index.only_the_game(kind)
            if only is None or only.cause in happened[0].causes:
                first = self._push_reactions(happened)
            else:
                self.stack.append(Reaction(only.ref, happened[0]))
        if game.in_play.cards is not start.in_play.cards:
            self.stack += reversed(cards_left(position.rules, start.in_play, game.in_play))
        if game.monsters is not start.monsters:
            self.push_eliminations(happened)
        if first:
            self.stack += first

    def _push_reactions(self, happened: list[AnyEffect]) -> Sequence[AnyStep]:
        """Push a Reaction for each ability that answers: the active Monster's first, then
        clockwise; carriers by age; the game last. The first is at the end.

        Each is asked in its turn, except those that answer at once: their packets come in that
        turn, their other steps are returned, to happen before anybody is eliminated (H34).
        """
        position, index = self.position, self.position.index
        answering: list[Answering] = []
        dealt: set[tuple[str, Seat]] = set()
        at_once = False
        for effect in happened:
            kind, causes, seat = type(effect), effect.causes, effect.seat
            at_once = at_once or kind in index.at_once
            for entry in index.whenevers.get(kind, ()):
                ability = entry.ability
                if entry.cause in causes or (ability.mine and entry.seat != seat):
                    continue
                if ability.once:
                    key = (entry.ref, effect.doer)
                    if key in dealt or not answers_once(entry, effect):
                        continue
                    dealt.add(key)
                answering.append((entry, effect))
        if len(answering) > 1:
            answering = last_to_first(position, answering)
        if not at_once:
            for entry, effect in answering:
                self.stack.append(Reaction(entry.ref, effect))
            return ()
        first: list[AnyStep] = []
        for entry, effect in answering:
            reaction = Reaction(entry.ref, effect)
            if not entry.ability.at_once:
                self.stack.append(reaction)
                continue
            for step in self._answer_at_once(reaction, entry):
                (self.stack if type(step) is Together else first).append(step)
        return first

    def _answer_at_once(
        self, reaction: Reaction, entry: CarriedAbility[Whenever]
    ) -> tuple[Step, ...]:
        """Return the answer of an ability that answers at once; the first step is at the end."""
        answer = ask(self.position, entry, reaction.effect)
        assert not isinstance(answer, (Asking, Again))
        return () if answer is None else tuple(stamped(steps_of(answer), reaction, entry)[::-1])

    def push_eliminations(self, happened: list[AnyEffect]) -> None:
        """Push two packets for all Monsters at 0 health (NY-16.3, TK-13.2): reached zero, then
        eliminated, the active Monster first, then clockwise (NY-G1). Once only: answers at once
        may still change somebody before that.
        """
        down = [
            m.seat
            for m in self.position.game.monsters
            if m.alive and m.health == 0 and not m.fallen
        ]
        if down:
            already = about_to_fall(self.stack)
            down = [seat for seat in down if seat not in already]
        if not down:
            return
        if len(down) > 1:
            active, n = self.position.game.turn.active, len(self.position.game.monsters)
            down.sort(key=lambda seat: (seat - active) % n)
        hurt = {e.seat: e for e in happened if isinstance(e, Damage)}
        reached = []
        for seat in down:
            blow = hurt.get(seat)
            dealer = blow.dealer if blow is not None else TABLE
            attack = blow is not None and blow.by_attack
            reached.append(ReachedZero(seat, dealer, attack, self.position.is_inside(seat)))
        self.stack.append(Together(tuple(Eliminate(seat) for seat in down)))
        self.stack.append(Together(tuple(reached)))


def is_nothing(effect: Effect) -> bool:
    """Whether its amount is 0: then it did not happen."""
    return effect.counted and effect.amount <= 0  # type: ignore[attr-defined]

"""Each rule of the kernel, broken on purpose, turns a scenario red.

Random play does not see these: positions stay sound while the game goes wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from companion.engine import index, moving, play, resolution
from companion.engine.abilities import My
from companion.engine.effects import AnyEffect
from companion.engine.game import Reaction
from companion.engine.index import AnyEntry, Carrier, Entry, forget
from companion.engine.resolution import IllegalEvent, Reply, _Loop
from companion.engine.standing import Standing
from tests.engine import test_corrections, test_end, test_manhattan, test_new_york_faces
from tests.engine.cards import test_new_york, test_tokyo

Patch = pytest.MonkeyPatch
Broken = Callable[[Patch], None]
Scenario = Callable[[], None]

RED = (AssertionError, IllegalEvent, StopIteration)


@pytest.fixture(autouse=True)
def _fresh_indices() -> Iterator[None]:
    forget()
    yield
    forget()


def restamp(change: Callable[[AnyEffect, Reaction, AnyEntry], dict[str, Any]]) -> Broken:
    """Steps are stamped as ever, then the histories are changed."""

    def broken(patch: Patch) -> None:
        right = resolution._stamp

        def stamp(effect: AnyEffect, reaction: Reaction, entry: AnyEntry, *rest: Any) -> AnyEffect:
            done = right(effect, reaction, entry, *rest)
            return replace(done, **change(done, reaction, entry))

        patch.setattr(resolution, "_stamp", stamp)

    return broken


def one_history(done: AnyEffect, reaction: Reaction, entry: AnyEntry) -> dict[str, Any]:
    """Who treated an effect counts among its causes."""
    return {"causes": (*done.causes, entry.cause) if reaction.instead else done.causes}


def nothing_is_seen(done: AnyEffect, reaction: Reaction, entry: AnyEntry) -> dict[str, Any]:
    return {"seen": ()}


def nothing_has_causes(done: AnyEffect, reaction: Reaction, entry: AnyEntry) -> dict[str, Any]:
    return {"causes": ()}


def decisions_keep_causes(patch: Patch) -> None:
    right = resolution._causes
    patch.setattr(
        resolution, "_causes", lambda reaction, entry, decided: right(reaction, entry, False)
    )


def no_zero_rule(patch: Patch) -> None:
    patch.setattr(resolution, "is_nothing", lambda effect: False)


def no_stages(patch: Patch) -> None:
    patch.setattr(index, "_stage_and_age", lambda entry: entry.age)


def causes_by_carrier(patch: Patch) -> None:
    """A twin through a Mimic counts as another ability."""
    right = Carrier.__init__

    def carry(self: Carrier, entries: tuple[AnyEntry, ...]) -> None:
        right(self, tuple(Entry(e.ref, e.ref, e.ability, e.seat, e.age, e.card) for e in entries))

    patch.setattr(Carrier, "__init__", carry)


def packets_fall_apart(patch: Patch) -> None:
    """Each member of a packet happens as soon as it is ready."""
    patch.setattr(_Loop, "_join", lambda self, effect: self._happen((effect,)))


def once_is_each_time(patch: Patch) -> None:
    right = resolution.answers_once
    numbers = iter(range(10_000))
    patch.setattr(resolution, "answers_once", right)
    patch.setattr(resolution, "dealer_of", lambda effect: Dealer(effect, next(numbers)))


class Dealer(int):
    """Equal to the dealer's seat, yet never the same key twice."""

    number: int

    def __new__(cls, effect: AnyEffect, number: int) -> Dealer:
        made = super().__new__(cls, getattr(effect, "dealer", effect.seat))
        made.number = number
        return made

    def __eq__(self, other: object) -> bool:
        return int(self) == other if not isinstance(other, Dealer) else self is other

    def __hash__(self) -> int:
        return hash(self.number)


def reactions_as_they_come(patch: Patch) -> None:
    patch.setattr(_Loop, "_in_turn", lambda self, answering: answering[::-1])


def corrections_unchecked(patch: Patch) -> None:
    patch.setattr(play, "run_corrected", resolution.run)


def the_dead_go_on(patch: Patch) -> None:
    patch.setattr(Standing, "is_alive", lambda self, seat: True)


def nobody_notices_a_card_leaving(patch: Patch) -> None:
    patch.setattr(_Loop, "_left", lambda self, before: [])


def never_again(patch: Patch) -> None:
    right = resolution.run_reply

    def reply(now: Standing, given: Reply) -> Any:
        return right(now, Reply(given.steps, False, given.decided))

    patch.setattr(play, "run_reply", reply)


def nobody_falls(patch: Patch) -> None:
    patch.setattr(_Loop, "fall", lambda self, happened: None)


def every_blow_falls_alone(patch: Patch) -> None:
    """Who killed whom is not looked up."""
    right = _Loop.fall
    patch.setattr(_Loop, "fall", lambda self, happened: right(self, []))


def reactions_outlive_their_monster(patch: Patch) -> None:
    """What was to follow for a Monster follows although it died."""
    right = _Loop._react

    def react(self: _Loop, reaction: Reaction) -> Any:
        dead = not self.now.is_alive(reaction.effect.seat)
        if not (dead and type(reaction.effect).while_alive):
            return right(self, reaction)
        entry = self.now.index.entry(reaction.ref)
        assert entry is not None
        answer = entry.ability.steps(My(self.now, entry), reaction.effect)
        assert answer is None, "asked on behalf of the dead"
        return None

    patch.setattr(_Loop, "_react", react)


def two_tracks_in_seat_order(patch: Patch) -> None:
    right = Standing.inside
    patch.setattr(Standing, "inside", lambda self: tuple(sorted(right(self))))


def no_slide(patch: Patch) -> None:
    patch.setattr(moving, "slide", lambda now: ())


CAMOUFLAGE, WINGS = test_tokyo.TestCamouflage(), test_tokyo.TestWings()
FIRE, MIMIC = test_tokyo.TestFireBreathing(), test_tokyo.TestMimic()
OPPORTUNIST, MEETINGS = test_tokyo.TestOpportunist(), test_tokyo.TestMeetings()
CHILD, WEB = test_tokyo.TestItHasAChild(), test_new_york.TestWebspinner()
CARAPACE = test_new_york.TestCarapace()

RULES: dict[str, tuple[Broken, Scenario]] = {
    "two histories": (restamp(one_history), FIRE.test_camouflage_answers_the_fire_as_well),
    "seen": (
        restamp(nothing_is_seen),
        CAMOUFLAGE.test_a_die_for_each_point_and_a_heart_cancels_one,
    ),
    "causes": (
        restamp(nothing_has_causes),
        FIRE.test_both_neighbours_take_one_more_target_or_not,
    ),
    "a decision has no past": (
        decisions_keep_causes,
        OPPORTUNIST.test_it_may_answer_what_its_own_purchase_reveals,
    ),
    "a twin is the same ability": (
        causes_by_carrier,
        MIMIC.test_fire_and_its_copy_in_one_seat_burn_twice_and_no_more,
    ),
    "nothing did not happen": (
        no_zero_rule,
        CAMOUFLAGE.test_wholly_cancelled_there_is_nothing_to_flee_from,
    ),
    "nor an emptied group": (
        no_zero_rule,
        WEB.test_all_claws_on_webs_are_no_attack_and_end_the_group,
    ),
    "stages": (no_stages, MEETINGS.test_on_the_wing_camouflage_rolls_no_more_this_turn),
    "together": (packets_fall_apart, CAMOUFLAGE.test_in_a_packet_the_others_wait_for_its_dice),
    "once a packet": (once_is_each_time, FIRE.test_once_for_an_attack_on_many),
    "who answers first": (
        reactions_as_they_come,
        lambda: OPPORTUNIST.test_of_two_the_nearest_to_the_left_of_the_active_is_first(2, 1),
    ),
    "a look after corrections": (
        corrections_unchecked,
        lambda: test_corrections.test_health_corrected_to_nothing_eliminates("tokyo"),
    ),
    "nothing happens to the dead": (the_dead_go_on, test_end.test_a_death_in_ones_own_turn_ends_it),
    "what follows ends with its Monster": (
        reactions_outlive_their_monster,
        test_end.test_a_death_in_ones_own_turn_ends_it,
    ),
    "leaving cards": (
        nobody_notices_a_card_leaving,
        CARAPACE.test_losing_it_above_ten_trims,
    ),
    "the original leaves": (
        nobody_notices_a_card_leaving,
        MIMIC.test_when_the_original_leaves_the_token_comes_back,
    ),
    "ask again": (
        never_again,
        test_new_york_faces.test_the_active_monster_chooses_the_next_group_until_one_is_left,
    ),
    "falling": (nobody_falls, test_manhattan.test_who_eliminates_the_monster_in_manhattan_enters),
    "who killed": (
        every_blow_falls_alone,
        CHILD.test_it_goes_on_without_cards_and_stars_and_the_attacker_takes_tokyo,
    ),
    "first track first": (
        two_tracks_in_seat_order,
        test_manhattan.test_the_2_4_monster_decides_first_even_when_it_sits_later,
    ),
    "sliding": (no_slide, test_manhattan.test_when_the_2_4_monster_dies_the_other_slides_over),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_broken_rule_is_seen(rule: str, monkeypatch: Patch) -> None:
    broken, scenario = RULES[rule]
    broken(monkeypatch)
    forget()
    with pytest.raises(RED):
        scenario()


@pytest.mark.parametrize("rule", RULES)
def test_unbroken_the_scenario_holds(rule: str) -> None:
    RULES[rule][1]()

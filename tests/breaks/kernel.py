"""The rules of the kernel: how each is broken, and the scenario that sees it.

Random play does not see these: positions stay sound while the game goes wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.breaks import new_york as clauses
from tests.breaks import tokyo
from tests.breaks.changes import Break, swap

TOKYO: Final = "tests/engine/cards/test_tokyo.py::"
NEW_YORK: Final = "tests/engine/cards/test_new_york.py::"
CAMOUFLAGE: Final = f"{TOKYO}TestCamouflage::test_"
FIRE: Final = f"{TOKYO}TestFireBreathing::test_"
MIMIC: Final = f"{TOKYO}TestMimic::test_"
OPPORTUNIST: Final = f"{TOKYO}TestOpportunist::test_"
MANHATTAN: Final = "tests/engine/test_manhattan.py::test_"
END: Final = "tests/engine/test_end.py::test_"
KERNEL: Final = "tests/engine/test_kernel.py::test_"
ENDS: Final = "tests/engine/cards/test_tokyo_buying.py::TestEndsTogether::test_"
MEETINGS: Final = "tests/engine/cards/test_tokyo_meetings.py::"
SYMMETRIES: Final = "tests/properties/test_symmetries.py::test_"

NO_CARD_IS_SEEN_LEAVING: Final = swap(
    "_Loop._perform", "game.in_play.cards is not start.in_play.cards", "game.in_play is None"
)

RULES: Final[Mapping[str, tuple[Break, str]]] = {
    "two histories": (
        swap("answering::_causes", "return causes", "return (*causes, entry.cause)"),
        f"{FIRE}camouflage_answers_the_fire_as_well",
    ),
    "seen": (
        swap("stamped", "*seen, reaction.ref", ""),
        f"{CAMOUFLAGE}a_die_for_each_point_and_a_heart_cancels_one",
    ),
    "causes": (
        swap(
            "stamped",
            "replace(step, seen=(), causes=causes, source=entry.cause)",
            "replace(step, seen=(), causes=(), source=entry.cause)",
        ),
        f"{FIRE}both_neighbours_take_one_more_target_or_not",
    ),
    "a decision has no past": (
        swap(
            "answering::_causes",
            "if clears_causes:\n    return ()",
            "",
        ),
        f"{OPPORTUNIST}it_may_answer_what_its_own_purchase_reveals",
    ),
    "the game itself is no cause": (
        swap(
            "answering::_causes",
            "causes if entry.seat == TABLE else (*causes, entry.cause)",
            "(*causes, entry.cause)",
        ),
        f"{NEW_YORK}TestChameleon::test_a_celebrity_given_up_turns_another_die",
    ),
    "a twin is the same ability": (
        swap(
            "index::_card",
            "_entry(Ref.of_card(card, a.name), name, owner, a, card, card)",
            '_entry(Ref.of_card(card, a.name), f"{name}_{card}", owner, a, card, card)',
        ),
        f"{MIMIC}fire_and_its_copy_in_one_seat_burn_twice_and_no_more",
    ),
    "nothing did not happen": (
        clauses.NOTHING_IS_SOMETHING,
        f"{CAMOUFLAGE}wholly_cancelled_there_is_nothing_to_flee_from",
    ),
    "nor an emptied group": (
        clauses.NOTHING_IS_SOMETHING,
        f"{NEW_YORK}TestWebspinner::test_all_claws_on_webs_are_no_attack_and_end_the_group",
    ),
    "what is cut down to nothing did not happen either": (
        swap("_Loop._perform", "fitted is not effect and is_nothing(fitted)", "fitted is None"),
        f"{KERNEL}what_is_cut_down_to_nothing_did_not_happen",
    ),
    "stages": (
        swap("_stage_and_age", "entry.ability.stage", "0"),
        f"{TOKYO}TestMeetings::test_on_the_wing_camouflage_rolls_no_more_this_turn",
    ),
    "together": (
        swap(
            "_Loop._process",
            "if part:\n    self._join_packet(effect)\nelse:\n    self._perform([effect])",
            "self._perform([effect])",
        ),
        f"{CAMOUFLAGE}in_a_packet_the_others_wait_for_its_dice",
    ),
    "steps inside a packet join it": (
        swap("_Loop.push", "step if step.immediate else Part(step)", "step"),
        "tests/engine/cards/test_new_york_fighting.py::TestAntimatterPellets"
        "::test_each_victim_rolls_for_itself_and_all_are_hurt_at_once",
    ),
    "a packet inside a packet waits for its members": (
        tokyo.CLAUSES["H34"],
        f"{MEETINGS}TestChildrenOfOneMoment::test_two_children_are_two_survivors",
    ),
    "what a blow brings at once comes before the fall": (
        swap(
            "_Loop._perform",
            "if game.monsters is not start.monsters:\n"
            "    self.push_eliminations(happened)\n"
            "if first:\n"
            "    self.stack += first",
            "if game.monsters is not start.monsters:\n"
            "    self.stack += first\n"
            "    self.push_eliminations(happened)",
        ),
        f"{MEETINGS}TestOneBlowServesAll"
        "::test_what_it_brings_is_as_large_as_the_blow_found_its_cards",
    ),
    "a price is paid when it is agreed on": (
        swap("SpendEnergy", "immediate: ClassVar = True", ""),
        f"{MEETINGS}TestPrices::test_energy_is_not_spent_twice_in_one_packet",
    ),
    "once a packet": (
        swap(
            "_Loop._push_reactions",
            "key in dealt or not answers_once(entry, effect)",
            "not answers_once(entry, effect)",
        ),
        f"{FIRE}once_for_an_attack_on_many",
    ),
    "who answers first": (
        swap("last_to_first", "sorted(answering, key=turn)", "answering"),
        f"{OPPORTUNIST}of_two_the_nearest_to_the_left_of_the_active_is_first",
    ),
    "the active one last, where a rule says so": (
        swap("last_to_first.turn", "entry.ability.active_last and entry.seat == active", "n < 0"),
        f"{OPPORTUNIST}the_active_one_comes_last",
    ),
    "what looks at the result comes after what adds to it": (
        swap("last_to_first.turn", "entry.ability.active_last and entry.seat == active", "n < 0"),
        "tests/engine/test_editions.py::test_its_claw_completes_the_six_faces",
    ),
    "the replaced effect comes back when its replacer is gone": (
        swap(
            "_Loop._run_reaction",
            "if reaction.instead:\n    self._restore_effect(reaction)",
            "if reaction.instead and entry is not None:\n    self._restore_effect(reaction)",
        ),
        f"{KERNEL}what_was_to_be_replaced_happens_when_its_replacer_is_gone",
    ),
    "and when its replacer has nothing more to say": (
        swap(
            "_Loop._run_reaction",
            "if reaction.instead:\n    self._restore_effect(reaction)",
            "if reaction.instead and entry is None:\n    self._restore_effect(reaction)",
        ),
        f"{KERNEL}and_when_its_replacer_has_nothing_more_to_say",
    ),
    "a look after corrections": (
        swap("run_corrected", "loop.push_eliminations([])", ""),
        "tests/engine/test_events.py::test_health_corrected_to_nothing_eliminates",
    ),
    "nothing happens to the dead": (
        (
            *swap(
                "BasePosition.is_alive", "seat == TABLE or self.game.monsters[seat].alive", "True"
            ),
            *swap(
                "BasePosition.is_too_late",
                "seat != TABLE and not self.game.monsters[seat].alive and not effect.to_dead",
                "False and not self.game.monsters[seat].alive",
            ),
        ),
        f"{END}a_death_in_ones_own_turn_ends_it",
    ),
    "what follows ends with its Monster": (
        clauses.THE_DEAD_GO_ON,
        f"{END}a_death_in_ones_own_turn_ends_it",
    ),
    "leaving cards": (
        NO_CARD_IS_SEEN_LEAVING,
        f"{NEW_YORK}TestCarapace::test_losing_it_above_ten_trims",
    ),
    "the original leaves": (
        NO_CARD_IS_SEEN_LEAVING,
        f"{MIMIC}when_the_original_leaves_the_token_comes_back",
    ),
    "what a card brought goes before health is trimmed": (
        swap("BUYING", "leaves, trim", "trim, leaves"),
        f"{KERNEL}a_card_taken_over_takes_along_what_it_gave",
    ),
    "ask again": (
        swap(
            "run_reply",
            "if not reply.again:\n    loop.stack.pop()",
            "loop.stack.pop()",
        ),
        "tests/engine/test_new_york_faces.py"
        "::test_the_active_monster_chooses_the_next_group_until_one_is_left",
    ),
    "ask again unasked": (
        swap(
            "_Loop._handle_answer",
            "self.stack.append(reaction)\nsteps = answer.steps",
            "steps = answer.steps",
        ),
        "tests/engine/test_new_york_faces.py::test_an_order_told_beforehand_is_followed_unasked",
    ),
    "falling": (
        swap("_Loop._perform", "self.push_eliminations(happened)", "pass"),
        f"{MANHATTAN}who_eliminates_the_monster_in_manhattan_enters",
    ),
    "nobody falls twice of one blow": (
        swap(
            "_Loop.push_eliminations",
            "down = [seat for seat in down if seat not in already]",
            "already.clear()",
        ),
        f"{MEETINGS}TestOneBlowServesAll::test_whom_pain_made_richer_falls_by_the_same_blow",
    ),
    "a move out of a blow is answered as the blow found the cards": (
        swap("leave_a_tunnel", "at_once=True", ""),
        f"{MEETINGS}TestOneBlowServesAll::test_who_flies_out_of_the_blow_leaves_its_tunnel",
    ),
    "all fall together": (
        swap(
            "_Loop.push_eliminations",
            "self.stack.append(Together(tuple(Eliminate(seat) for seat in down)))",
            "self.stack += [Eliminate(seat) for seat in reversed(down)]",
        ),
        f"{KERNEL}all_who_fall_at_once_are_gone_before_room_is_made",
    ),
    "who killed": (
        swap(
            "_Loop.push_eliminations",
            "hurt = {e.seat: e for e in happened if isinstance(e, Damage)}",
            "hurt: dict[Seat, Damage] = {}",
        ),
        f"{TOKYO}TestItHasAChild"
        "::test_it_goes_on_without_cards_and_stars_and_the_attacker_takes_tokyo",
    ),
    "one happening after the other": (
        (
            *swap("_Loop._perform", "replace(game, clock=game.clock + 1)", "game"),
            *swap("_Loop._perform", 'force_setattr(game, "clock", game.clock + 1)', "pass"),
        ),
        f"{KERNEL}who_came_to_the_goal_by_an_earlier_happening_was_first",
    ),
    "first track first": (
        swap("BasePosition.inside", "[s for _, s in sorted(found)]", "sorted(s for _, s in found)"),
        f"{MANHATTAN}the_2_4_monster_decides_first_even_when_it_sits_later",
    ),
    "who is hurt orders its cards": (
        swap("_Loop._handle_answer", "rivals = self._competing(reaction, entry)", "pass"),
        f"{TOKYO}TestMeetings::test_wings_first_then_no_dice_for_camouflage",
    ),
    "who ends its turn orders its cards": (
        swap(
            "_Loop._handle_answer",
            "reaction.instead or reaction.effect.ordered",
            "reaction.instead",
        ),
        f"{ENDS}their_owner_says_whether_sold_cards_feed_the_hoard",
    ),
    "only where the order matters": (
        swap("_Loop._order_matters", "len(ends) > 1", "True"),
        f"{ENDS}nothing_is_asked_where_the_order_makes_no_difference",
    ),
    "who comes first is asked first": (
        swap("_Loop.put_first", "replace(first, chosen=True)", "asking"),
        f"{ENDS}who_would_no_longer_be_last_may_be_cheered_first",
    ),
    "answered at the blow": (
        swap("_Loop._push_reactions", "not entry.ability.at_once", "effect.seat >= 0"),
        f"{MEETINGS}TestFireAndDeath::test_nobody_steps_in_for_a_neighbour_the_attack_killed",
    ),
    "sliding": (clauses.NO_SLIDE, f"{MANHATTAN}when_the_2_4_monster_dies_the_other_slides_over"),
    "sliding before counting": (
        swap("make_room", "slid = slide(my.position)", "slid: tuple[Step, ...] = ()"),
        f"{MANHATTAN}five_to_four_by_the_death_on_2_4_the_other_slides_and_the_attacker_stays_out",
    ),
    "a copy is as good as its original": (
        tokyo.CLAUSES["H34"],
        f"{SYMMETRIES}it_does_not_matter_who_holds_the_card_and_who_its_copy",
    ),
    "a game is the same whoever sits where": (
        swap("last_to_first.turn", "(entry.seat - active) % n", "entry.seat"),
        f"{SYMMETRIES}all_seats_moved_by_one_give_the_same_moved_by_one[tokyo]",
    ),
    "an id that is promised is not given": (
        swap("play::_named", "_free_id(game)", "CardId(game.next_id)"),
        "tests/engine/cards/test_new_york_buying.py::TestScavenger::"
        "test_a_card_named_while_it_is_paid_for_gets_another_id",
    ),
}
"""Rule -> how it is broken, and the test that must turn red."""

"""The rules of the kernel: how each is broken, and the scenario that sees it.

Random play does not see these: positions stay sound while the game goes wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.breaks import new_york as clauses
from tests.breaks import tokyo as tokyo
from tests.breaks.changes import Break, put

LOOP: Final = "resolution.py"
FOLLOWING: Final = "following.py"
INDEX: Final = "index.py"
STANDING: Final = "standing.py"

TOKYO: Final = "tests/engine/cards/test_tokyo.py::"
NEW_YORK: Final = "tests/engine/cards/test_new_york.py::"
CAMOUFLAGE: Final = f"{TOKYO}TestCamouflage::test_"
FIRE: Final = f"{TOKYO}TestFireBreathing::test_"
MIMIC: Final = f"{TOKYO}TestMimic::test_"
OPPORTUNIST: Final = f"{TOKYO}TestOpportunist::test_"
MANHATTAN: Final = "tests/engine/test_manhattan.py::test_"
END: Final = "tests/engine/test_end.py::test_"
KERNEL: Final = "tests/engine/test_kernel.py::test_"
MEETINGS: Final = "tests/engine/cards/test_tokyo_meetings.py::"
ENDS: Final = "tests/engine/cards/test_tokyo_trade.py::TestEndsTogether::test_"
TOGETHER: Final = "tests/engine/cards/test_tokyo_together.py::"
SYMMETRIES: Final = "tests/properties/test_symmetries.py::test_"
TRAPS: Final = "tests/engine/test_traps.py::test_"

NO_CARD_IS_SEEN_LEAVING: Final = put(
    LOOP, "if game.in_play.cards is not start.in_play.cards:", "if game.in_play is None:"
)

RULES: Final[Mapping[str, tuple[Break, str]]] = {
    "two histories": (
        put(
            FOLLOWING,
            "    if reaction.instead:\n        return causes\n",
            "    if reaction.instead:\n        return (*causes, entry.cause)\n",
        ),
        f"{FIRE}camouflage_answers_the_fire_as_well",
    ),
    "seen": (
        put(FOLLOWING, "seen=(*seen, reaction.ref), causes", "seen=(), causes"),
        f"{CAMOUFLAGE}a_die_for_each_point_and_a_heart_cancels_one",
    ),
    "causes": (
        put(FOLLOWING, "seen=(), causes=causes, source", "seen=(), causes=(), source"),
        f"{FIRE}both_neighbours_take_one_more_target_or_not",
    ),
    "a decision has no past": (
        put(FOLLOWING, "    if decided:\n        return ()\n", ""),
        f"{OPPORTUNIST}it_may_answer_what_its_own_purchase_reveals",
    ),
    "the game itself is no cause": (
        put(
            FOLLOWING,
            "return causes if entry.seat == TABLE else (*causes, entry.cause)",
            "return (*causes, entry.cause)",
        ),
        f"{NEW_YORK}TestChameleon::test_a_celebrity_given_up_turns_another_die",
    ),
    "a twin is the same ability": (
        put(INDEX, 'f"{name}.{a.name}@{owner}", a, owner', 'f"card.{card}/{a.name}", a, owner'),
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
        put(LOOP, "if fitted is not effect and is_nothing(fitted):", "if fitted is None:"),
        f"{KERNEL}what_is_cut_down_to_nothing_did_not_happen",
    ),
    "stages": (
        put(INDEX, "return entry.ability.stage, entry.age", "return 0, entry.age"),
        f"{TOKYO}TestMeetings::test_on_the_wing_camouflage_rolls_no_more_this_turn",
    ),
    "together": (
        put(
            LOOP,
            "        if part:\n            self._join(effect)\n        else:\n"
            "            self._happen([effect])\n",
            "        self._happen([effect])\n",
        ),
        f"{CAMOUFLAGE}in_a_packet_the_others_wait_for_its_dice",
    ),
    "steps inside a packet join it": (
        put(LOOP, "            step if step.immediate else Part(step)\n", "            step\n"),
        "tests/engine/cards/test_new_york_claws.py::TestAntimatterPellets"
        "::test_each_victim_rolls_for_itself_and_all_are_hurt_at_once",
    ),
    "a packet inside a packet waits for its members": (
        tokyo.CLAUSES["H34"],
        f"{TOGETHER}TestChildrenOfOneMoment::test_two_children_are_two_survivors",
    ),
    "what a blow brings at once comes before the fall": (
        put(
            LOOP,
            "            self.fall(happened)\n        if first:\n            self.stack += first\n",
            "            self.stack += first\n            self.fall(happened)\n",
        ),
        f"{TOGETHER}TestOneBlowServesAll"
        "::test_what_it_brings_is_as_large_as_the_blow_found_its_cards",
    ),
    "a price is paid when it is agreed on": (
        put("effects/numbers.py", "    immediate: ClassVar = True\n", ""),
        f"{TOGETHER}TestPrices::test_energy_is_not_spent_twice_in_one_packet",
    ),
    "once a packet": (
        put(LOOP, "if key in dealt or not answers_once", "if not answers_once"),
        f"{FIRE}once_for_an_attack_on_many",
    ),
    "who answers first": (
        put(FOLLOWING, "return sorted(answering, key=turn)[::-1]", "return answering[::-1]"),
        f"{OPPORTUNIST}of_two_the_nearest_to_the_left_of_the_active_is_first",
    ),
    "the active one last, where a rule says so": (
        put(FOLLOWING, "if entry.ability.active_last and entry.seat == active:", "if n < 0:"),
        f"{OPPORTUNIST}the_active_one_comes_last",
    ),
    "what looks at the result comes after what adds to it": (
        put(FOLLOWING, "if entry.ability.active_last and entry.seat == active:", "if n < 0:"),
        "tests/engine/test_editions.py::test_its_claw_completes_the_six_faces",
    ),
    "the replaced effect comes back when its replacer is gone": (
        put(
            LOOP,
            "        if entry is None or answer is None:\n            if reaction.instead:\n",
            "        if entry is None or answer is None:\n"
            "            if reaction.instead and entry is not None:\n",
        ),
        f"{KERNEL}what_was_to_be_replaced_happens_when_its_replacer_is_gone",
    ),
    "and when its replacer has nothing more to say": (
        put(
            LOOP,
            "        if entry is None or answer is None:\n            if reaction.instead:\n",
            "        if entry is None or answer is None:\n"
            "            if reaction.instead and entry is None:\n",
        ),
        f"{KERNEL}and_when_its_replacer_has_nothing_more_to_say",
    ),
    "a look after corrections": (
        put(LOOP, "    loop.fall([])\n", ""),
        "tests/engine/test_corrections.py::test_health_corrected_to_nothing_eliminates",
    ),
    "nothing happens to the dead": (
        (
            *put(STANDING, "return seat == TABLE or self.game.monsters[seat].alive", "return True"),
            *put(STANDING, "return not effect.to_dead and seat != TABLE", "return False"),
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
        put("buying.py", "    leaves,\n    trim,\n", "    trim,\n    leaves,\n"),
        f"{TRAPS}a_card_taken_over_takes_along_what_it_gave",
    ),
    "ask again": (
        put(LOOP, "    if not reply.again:\n        loop.stack.pop()\n", "    loop.stack.pop()\n"),
        "tests/engine/test_new_york_faces.py"
        "::test_the_active_monster_chooses_the_next_group_until_one_is_left",
    ),
    "ask again unasked": (
        put(
            LOOP,
            "            self.stack.append(reaction)\n            steps = answer.steps\n",
            "            steps = answer.steps\n",
        ),
        "tests/engine/test_new_york_faces.py::test_an_order_told_beforehand_is_followed_unasked",
    ),
    "falling": (
        put(LOOP, "            self.fall(happened)\n", "            pass\n"),
        f"{MANHATTAN}who_eliminates_the_monster_in_manhattan_enters",
    ),
    "nobody falls twice of one blow": (
        put(LOOP, "down = [seat for seat in down if seat not in already]", "already.clear()"),
        f"{TOGETHER}TestOneBlowServesAll::test_whom_pain_made_richer_falls_by_the_same_blow",
    ),
    "a move out of a blow is answered as the blow found the cards": (
        put(
            "cards/tokyo.py",
            "@whenever(MoveTo, mine=True, at_once=True)\ndef leave_a_tunnel",
            "@whenever(MoveTo, mine=True)\ndef leave_a_tunnel",
        ),
        f"{TOGETHER}TestOneBlowServesAll::test_who_flies_out_of_the_blow_leaves_its_tunnel",
    ),
    "all fall together": (
        put(
            LOOP,
            "        self.stack.append(Together(tuple(Eliminate(seat) for seat in down)))\n",
            "        self.stack += [Eliminate(seat) for seat in reversed(down)]\n",
        ),
        f"{KERNEL}all_who_fall_at_once_are_gone_before_room_is_made",
    ),
    "who killed": (
        put(
            LOOP,
            "hurt = {e.seat: e for e in happened if isinstance(e, Damage)}",
            "hurt: dict[Seat, Damage] = {}",
        ),
        f"{TOKYO}TestItHasAChild"
        "::test_it_goes_on_without_cards_and_stars_and_the_attacker_takes_tokyo",
    ),
    "one happening after the other": (
        put(LOOP, "replace(game, clock=game.clock + 1))", "game)"),
        f"{KERNEL}who_came_to_the_goal_by_an_earlier_happening_was_first",
    ),
    "first track first": (
        put(
            STANDING,
            "return tuple([s for _, s in sorted(found)])",
            "return tuple(sorted(s for _, s in found))",
        ),
        f"{MANHATTAN}the_2_4_monster_decides_first_even_when_it_sits_later",
    ),
    "who is hurt orders its cards": (
        put(LOOP, "            rivals = self._rivals(reaction, entry)\n", "            pass\n"),
        f"{TOKYO}TestMeetings::test_wings_first_then_no_dice_for_camouflage",
    ),
    "who ends its turn orders its cards": (
        put(LOOP, "(reaction.instead or reaction.effect.ordered)", "reaction.instead"),
        f"{ENDS}their_owner_says_whether_sold_cards_feed_the_hoard",
    ),
    "only where the order matters": (
        put(LOOP, "return len(ends) > 1", "return True"),
        f"{ENDS}nothing_is_asked_where_the_order_makes_no_difference",
    ),
    "who comes first is asked first": (
        put(LOOP, "self.stack.append(replace(first, chosen=True))", "self.stack.append(asking)"),
        f"{ENDS}who_would_no_longer_be_last_may_be_cheered_first",
    ),
    "answered at the blow": (
        put(LOOP, "if not entry.ability.at_once:", "if effect.seat >= 0:"),
        f"{MEETINGS}TestFireAndDeath::test_nobody_steps_in_for_a_neighbour_the_attack_killed",
    ),
    "sliding": (clauses.NO_SLIDE, f"{MANHATTAN}when_the_2_4_monster_dies_the_other_slides_over"),
    "sliding before counting": (
        put("moving.py", "slid = slide(my.now)", "slid: tuple[Step, ...] = ()"),
        f"{MANHATTAN}five_to_four_by_the_death_on_2_4_the_other_slides_and_the_attacker_stays_out",
    ),
    "a copy is as good as its original": (
        tokyo.CLAUSES["H34"],
        f"{SYMMETRIES}it_does_not_matter_who_holds_the_card_and_who_its_copy",
    ),
    "a game is the same whoever sits where": (
        put(FOLLOWING, "return (entry.seat - active) % n if", "return entry.seat if"),
        f"{SYMMETRIES}all_seats_moved_by_one_give_the_same_moved_by_one[tokyo]",
    ),
    "an id that is promised is not given": (
        put("play.py", "_free_id(game), event.name", "CardId(game.next_id), event.name"),
        "tests/engine/cards/test_new_york_energy.py::TestScavenger::"
        "test_a_card_named_while_it_is_paid_for_gets_another_id",
    ),
}
"""Rule -> how it is broken, and the test that must turn red."""

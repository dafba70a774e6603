"""What other implementations of these games got wrong in public: how each is broken here, and the
scenario that sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.breaks import tokyo
from tests.breaks.changes import Break, swap

CARDS: Final = "tests/engine/cards/"
MEETINGS: Final = f"{CARDS}test_tokyo_meetings.py::"
REFUSED: Final = "tests/engine/test_refused_positions.py::test_it_is_refused_in_one_sentence"

CASES: Final[Mapping[str, tuple[Break, str]]] = {
    "a child and its copy fall together": (
        tokyo.CLAUSES["H34"],
        f"{MEETINGS}TestChildrenOfOneMoment::test_the_card_and_its_copy_both_save",
    ),
    "regeneration speeds up its owner's healing ray": (
        tokyo.CLAUSES["D8"],
        f"{CARDS}test_tokyo_gains.py::TestHealingRayWithRegeneration::test_one_heart_heals_two_for_four_energy",
    ),
    "a background dweller on camouflage dice": (
        tokyo.CLAUSES["H32"],
        f"{CARDS}test_tokyo_dice.py::TestCamouflageDice"
        "::test_threes_may_be_thrown_again_before_they_count",
    ),
    "one attack gives one token": (
        tokyo.CLAUSES["H33"],
        f"{MEETINGS}TestOneOccasion::test_struck_and_singed_is_marked_once",
    ),
    "freeze time bought after the ones": (
        tokyo.CLAUSES["H31"],
        f"{MEETINGS}TestFreezeTime::test_who_scored_three_ones_before_is_asked_at_the_end",
    ),
    "acid attack bought this turn": (
        swap('tokyo.fighting::keep("acid_attack")', "acid_when_it_comes, acid_is_used", ""),
        f"{MEETINGS}TestAcidAttack::test_it_works_the_moment_it_is_bought",
    ),
    "an added claw completes the six faces of the 2016 edition": (
        tokyo.CLAUSES["H18"],
        "tests/engine/test_editions.py::test_its_claw_completes_the_six_faces",
    ),
    "and those of New York": (
        tokyo.CLAUSES["H18"],
        f"{CARDS}test_new_york_dice.py::TestClimb::test_symbols_that_cards_add_are_part_of_the_result",
    ),
    "both yield, and the one in the Bay leaves a tunnel": (
        tokyo.CLAUSES["TK-16.24"],
        f"{MEETINGS}TestTunnels::test_both_yield_and_one_of_them_leaves_a_tunnel",
    ),
    "a tunnel and its copy": (
        tokyo.CLAUSES["TK-16.24"],
        f"{MEETINGS}TestTunnels::test_the_tunnels_of_the_card_and_its_copy",
    ),
    "freeze time again": (
        tokyo.CLAUSES["TK-16.25"],
        f"{CARDS}test_tokyo_dice.py::TestFreezeTime"
        "::test_each_further_turn_has_one_die_fewer_than_the_one_that_won_it",
    ),
    "a card that its owner alone looks at": (
        tokyo.CLAUSES["TK-16.26"],
        f"{CARDS}test_tokyo_buying.py::TestMadeInALab::test_what_is_asked_is_its_owners_alone",
    ),
    "a borough with four stacks": (
        swap("checks::_boroughs", "len(borough.stacks) != count", "count < 0"),
        f"{REFUSED}[a borough with four stacks]",
    ),
    "a Monster that stands nowhere": (
        swap(
            "checks::_places",
            "monster.alive and monster.place is None and monster.seat not in choosing",
            "not monster and monster.seat not in choosing",
        ),
        f"{REFUSED}[a Monster that stands nowhere]",
    ),
}
"""Case -> how it is broken, and the test that must turn red."""

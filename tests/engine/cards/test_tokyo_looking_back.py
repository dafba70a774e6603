"""Cards of King of Tokyo bought after what they reward (H31)."""

from __future__ import annotations

import pytest

from companion.engine.questions import Roll
from tests.engine.cards.tokyo_tables import (
    BOTH_IN,
    FOUND,
    next_roll,
    resolve,
    scene,
)
from tests.engine.tables import Table

NOTHING = "112233"


def rolled(letters: str, ware: str, *cards: tuple[int, str], **more: object) -> Table:
    """Seat 0 resolved these dice, with energy for a card, and is asked what it buys."""
    shop = (ware, *(n for n in ("energize", "frenzy", "vast_storm") if n != ware))[:3]
    table = resolve(scene(*cards, **({"shop": shop, "energy": {0: 8}} | more)), letters)
    while table.asked.startswith("flee"):
        table.choose("stay")
    assert table.asked == "buy@0", table.asked
    table.since()
    return table


def bought(letters: str, ware: str, *cards: tuple[int, str], **more: object) -> Table:
    """It bought the card, and the next one lies there."""
    table = rolled(letters, ware, *cards, **more)
    return table.buy(ware).show(FOUND)


# -- Freeze Time ----------------------------------------------------------------------------------


class TestFreezeTime:
    @pytest.mark.clause("H31")
    def test_who_scored_three_ones_before_is_asked_at_the_end(self) -> None:
        table = bought("111", "freeze_time").choose("end")
        assert table.asked == "stop_the_clock@0"
        assert table.choose("use").asked == "roll@0"
        asked = table.question
        assert isinstance(asked, Roll)
        assert asked.dice == 5

    @pytest.mark.clause("H31")
    def test_or_lets_it_pass(self) -> None:
        table = bought("111", "freeze_time").choose("end")
        assert table.choose("pass").asked == "roll@1"

    @pytest.mark.clause("H31")
    @pytest.mark.parametrize("letters", ["11", "222", "333"])
    def test_not_without_three_ones(self, letters: str) -> None:
        assert bought(letters, "freeze_time").choose("end").asked == "roll@1"


# -- Acid Attack ----------------------------------------------------------------------------------


class TestAcidAttack:
    @pytest.mark.clause("H31", "TK-16.11")
    def test_it_works_the_moment_it_is_bought(self) -> None:
        table = bought(NOTHING, "acid_attack", players=5, at=BOTH_IN)
        assert table.since() == {0: {"energy": -6}, 1: {"health": -1}, 2: {"health": -1}}
        assert [m.place for m in table.game.monsters] == list(BOTH_IN)[:5]
        next_roll(table)

    @pytest.mark.clause("H31", "TK-16.19", "H33")
    def test_it_is_a_source_and_an_occasion_of_its_own(self) -> None:
        table = bought("A", "acid_attack", (0, "poison_spit"), (1, "armor_plating"))
        assert table.since()[0] == {"energy": -6}
        assert table.tokens(1) == {}
        table = bought("A", "acid_attack", (0, "poison_spit"), (0, "fire_breathing"))
        assert table.since() == {0: {"energy": -6}, 1: {"health": -2}, 2: {"health": -1}}
        assert table.tokens(1) == {"poison": 2}

    @pytest.mark.clause("H31")
    @pytest.mark.parametrize("letters", ["A", NOTHING])
    def test_not_if_acid_of_its_owner_has_worked_this_turn(self, letters: str) -> None:
        table = rolled(letters, "mimic", (0, "acid_attack"))
        table.buy("mimic").choose(f"copy_{table.card('acid_attack').id}")
        assert table.since() == {0: {"energy": -8}}

    @pytest.mark.clause("H31")
    def test_one_card_works_once_a_turn(self) -> None:
        """Copied before the roll it works at once, and adds nothing to the claws that follow."""
        table = scene((0, "mimic"), (2, "acid_attack"), energy={0: 1})
        table.power("pay_to_copy_another", 0).choose(f"copy_{table.card('acid_attack').id}")
        assert table.since() == {0: {"energy": -1}, 1: {"health": -1}}
        resolve(table, "A")
        assert table.since() == {1: {"health": -1}}
        next_roll(table.choose("stay"))
        assert table.game.turn.used == ()

    @pytest.mark.clause("H31")
    def test_bought_in_the_turn_of_another_it_waits(self) -> None:
        table = rolled(NOTHING, "energize", (2, "opportunist"), energy={0: 2, 2: 9})
        table.choose("sweep").show("acid_attack").buy("acid_attack")
        assert table.since() == {0: {"energy": -2}, 2: {"energy": -6}}


# -- the others -----------------------------------------------------------------------------------


class TestLookingBack:
    @pytest.mark.clause("H31", "H24")
    @pytest.mark.parametrize(("letters", "stars"), [(NOTHING, 1), ("A", 0)])
    def test_the_herbivore_knows_whom_you_hurt_before(self, letters: str, stars: int) -> None:
        assert bought(letters, "herbivore").end_turn().since()[0].get("stars", 0) == stars

    @pytest.mark.clause("H31", "TK-16.6")
    def test_the_sun_shines_on_who_spent_all(self) -> None:
        table = bought(NOTHING, "solar_powered", energy={0: 2})
        assert table.end_turn().energy(0) == 1

    @pytest.mark.clause("H31", "H23")
    def test_the_hoarder_counts_what_is_left(self) -> None:
        table = bought(NOTHING, "energy_hoarder", energy={0: 9})
        assert table.end_turn().since()[0] == {"energy": -3, "stars": 1}


class TestLookingAhead:
    @pytest.mark.clause("H31")
    @pytest.mark.parametrize(
        ("ware", "letters"),
        [
            ("alpha_monster", "A"),
            ("complete_destruction", "123EAH"),
            ("gourmet", "111"),
            ("omnivore", "123"),
            ("poison_quills", "222"),
            ("poison_spit", "A"),
            ("shrink_ray", "A"),
            ("spiked_tail", "A"),
            ("were_only_making_it_stronger", "A"),
        ],
    )
    def test_what_happened_before_brings_nothing(self, ware: str, letters: str) -> None:
        table = rolled(letters, ware, energy={0: 9}).buy(ware).put_off()
        (changed,) = table.since().items()
        assert (changed[0], set(changed[1])) == (0, {"energy"})
        assert table.game.in_play.tokens == ()
        next_roll(table)

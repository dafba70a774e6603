"""Cards of King of New York about energy and other cards, and their meetings."""

from __future__ import annotations

import pytest

from companion.engine.events import CardShown
from companion.engine.values import Number, UnitKind
from tests.engine.cards.scenes import FOUND, holding, next_roll, resolve, shopping
from tests.engine.tables import Table

JET = UnitKind.JET


def looked(table: Table) -> Table:
    table.since()
    return table


# -- Power Tap ------------------------------------------------------------------------------------


class TestPowerTap:
    @pytest.mark.parametrize(("rolled", "paid"), [(2, 0), (3, 1), (4, 1), (6, 1)])
    def test_who_gains_three_in_a_turn_pays_one(self, rolled: int, paid: int) -> None:
        table = resolve(holding((1, "power_tap")), "E" * rolled)
        taken = {1: {"energy": paid}} if paid else {}
        assert table.since() == {0: {"energy": rolled - paid}, **taken}
        next_roll(table)

    def test_once_a_turn(self) -> None:
        table = resolve(holding((1, "power_tap"), shop=("overload", "drain", "hunter")), "EEEH")
        table.choose("stay").buy("overload").show(FOUND)
        assert table.since() == {0: {"energy": 6}, 1: {"energy": 1}}
        next_roll(table)

    def test_its_owner_pays_nobody(self) -> None:
        table = resolve(holding((0, "power_tap")), "EEEE")
        assert table.since() == {0: {"energy": 4}}

    def test_gains_of_an_earlier_turn_do_not_count(self) -> None:
        table = holding((1, "power_tap"), players=2, at=("brooklyn", "lower_2_4"))
        resolve(table, "EE").end_turn()
        resolve(table, "").end_turn()
        table.since()
        resolve(table, "EE")
        assert table.since() == {0: {"energy": 2}}

    def test_everybody_that_gains_three_pays(self) -> None:
        table = shopping("holland_tunnel", energy={0: 9}, cards={1: ("power_tap",)})
        table.buy("holland_tunnel").show(FOUND)
        assert table.since() == {
            0: {"stars": 6, "energy": -7},
            1: {"energy": 5},
            2: {"energy": 2},
        }
        next_roll(table)

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_energy_given_by_another_is_a_gain(self, order: tuple[int, int]) -> None:
        """Whichever comes first, one by the wound and two by the attacker are three."""
        cards = ("drain", "phoenix_blood")
        own = tuple((2, cards[i]) for i in order)
        table = holding((1, "power_tap"), *own, energy={0: 9})
        resolve(looked(table), "A").choose("stay")
        assert table.since() == {
            0: {"energy": -2},
            1: {"energy": 1},
            2: {"health": -1, "energy": 2},
        }
        next_roll(table)

    def test_a_gift_of_two_is_not_enough(self) -> None:
        table = holding((1, "power_tap"), (2, "drain"), energy={0: 9})
        resolve(looked(table), "A").choose("stay")
        assert table.since() == {0: {"energy": -2}, 2: {"health": -1, "energy": 2}}
        next_roll(table)


# -- Scavenger ------------------------------------------------------------------------------------


class TestScavenger:
    def heap(self, energy: int, *cards: tuple[int, str]) -> Table:
        """Seat 0 swept fury, drain and coney_island away, and has so much energy left."""
        return self.swept(energy, ("fury", "drain", "coney_island"), *cards)

    def swept(self, energy: int, away: tuple[str, ...], *cards: tuple[int, str]) -> Table:
        own = cards or ((0, "scavenger"),)
        table = resolve(holding(*own, shop=away, energy={0: 2 + energy}), "")
        table.choose("stay").choose("sweep")
        if table.asked == "pay_with_health@0":
            table.choose("use_0")
        table.show("towering_titan", "yankee_stadium", "holland_tunnel")
        return looked(table)

    def test_keep_cards_of_the_discard_pile_cost_one_less(self) -> None:
        table = self.heap(3).power("rummage", 0)
        assert table.asked == "salvage@0"
        assert sorted(table.options) == ["pass", "salvage_drain", "salvage_fury"]
        table.choose("salvage_drain")
        assert table.since() == {0: {"energy": -3}}
        assert table.cards(0) == ["scavenger", "drain"]
        assert table.game.discards == ("coney_island", "fury")
        assert table.asked == "roll@1"  # no slot of the shop was emptied

    def test_one_short(self) -> None:
        table = self.heap(2)
        assert table.offered(0) == []
        next_roll(table)

    def test_it_may_come_back_empty_handed(self) -> None:
        table = self.heap(3).power("rummage", 0).choose("pass")
        assert table.since() == {}
        assert table.asked == "buy@0"
        next_roll(table)

    def test_what_works_when_bought_works(self) -> None:
        table = self.swept(1, ("natural_selection", "drain", "coney_island"))
        table.power("rummage", 0).choose("salvage_natural_selection")
        assert table.since() == {0: {"energy": 3}}
        next_roll(table)

    def test_a_card_named_while_it_is_paid_for_gets_another_id(self) -> None:
        table = resolve(
            holding(
                (0, "scavenger"),
                (0, "of_another_world"),
                shop=("fury", "drain", "coney_island"),
                energy={0: 4},
            ),
            "",
        )
        table.choose("stay").choose("sweep").choose("use_0").put_off()
        table.power("rummage", 0).choose("salvage_drain")
        assert table.asked == "pay_with_health@0"
        table.apply(CardShown("towering_titan", 0)).choose("use_2")
        assert "drain" in table.cards(0)


# -- Of Another World -----------------------------------------------------------------------------


class TestOfAnotherWorldPays:
    def alien(self, energy: int, health: int, *wares: str) -> Table:
        table = shopping(*wares, cards={0: ("of_another_world",)}, energy={0: energy})
        table.correct(0, Number.HEALTH, health)
        return looked(table)

    @pytest.mark.parametrize("by_health", [2, 3, 4])
    def test_a_card_with_health_as_it_likes(self, by_health: int) -> None:
        table = self.alien(2, 9, "drain").buy("drain")
        assert table.asked == "pay_with_health@0"
        assert table.open == ["use_2", "use_3", "use_4"]  # energy alone is two short
        table.choose(f"use_{by_health}").show(FOUND)
        expected = {"energy": by_health - 4, "health": -by_health}
        assert table.since() == {0: {k: v for k, v in expected.items() if v}}
        next_roll(table)

    def test_with_energy_alone(self) -> None:
        table = self.alien(4, 9, "drain").buy("drain").choose("use_0").show(FOUND)
        assert table.since() == {0: {"energy": -4}}
        next_roll(table)

    def test_never_with_its_last_health(self) -> None:
        table = self.alien(0, 4, "drain")
        assert table.options[f"buy_{table.card('drain').id}"] == "short"
        table = self.alien(1, 4, "drain").buy("drain").show(FOUND)  # no other way than three
        assert table.health(0) == 1
        assert table.energy(0) == 0
        next_roll(table)

    @pytest.mark.parametrize(("health", "rides"), [(3, True), (2, False)])
    def test_a_ride_past_the_marathon_too(self, health: int, rides: bool) -> None:
        shop = ("new_york_marathon", "holland_tunnel", "yankee_stadium")
        under, cards = {0: "subway"}, ((0, "of_another_world"),)
        table = looked(holding(*cards, shop=shop, under=under, health={0: health}))
        assert table.offered(0) == (["ride"] if rides else [])
        if rides:
            table.power("ride", 0).choose("bronx")
            assert table.since() == {0: {"health": -2, "place": "bronx"}}
        assert table.asked == "roll@0"


class TestOfAnotherWorldSuffers:
    @pytest.mark.parametrize("by_energy", [0, 1, 2])
    def test_energy_instead_of_health_as_it_likes(self, by_energy: int) -> None:
        table = holding((2, "of_another_world"), energy={2: 2})
        resolve(looked(table), "AAA")
        assert table.asked == "energy_for_health@2"
        assert table.open == ["use_0", "use_1", "use_2"]
        table.choose(f"use_{by_energy}").choose("stay")
        expected = {"health": by_energy - 3, "energy": -by_energy}
        assert table.since() == {2: {k: v for k, v in expected.items() if v}}
        next_roll(table)

    @pytest.mark.clause("NY-8.4")
    def test_no_health_lost_is_no_attack(self) -> None:
        table = holding((2, "of_another_world"), (0, "trash_thrower"), energy={2: 5}, stars={2: 3})
        resolve(looked(table), "AA").choose("use_2")
        assert table.since() == {2: {"energy": -2}}
        next_roll(table)

    def test_without_energy_nothing_is_asked(self) -> None:
        table = resolve(looked(holding((2, "of_another_world"))), "AA")
        assert table.asked == "flee@2"
        assert table.since() == {2: {"health": -2}}

    def test_pellets_double_what_it_may_then_take_as_energy(self) -> None:
        table = holding((0, "antimatter_pellets"), (2, "of_another_world"), energy={2: 9})
        resolve(looked(table), "AA").roll("O")
        assert table.open == ["use_0", "use_1", "use_2", "use_3", "use_4"]
        table.choose("use_3").choose("stay")
        assert table.since() == {2: {"energy": -3, "health": -1}}
        next_roll(table)

"""King of New York's cards that work once, and those about energy and other cards."""

from __future__ import annotations

import pytest

from companion.engine.events import CardShown
from companion.engine.values import Number, UnitKind
from tests.engine.cards.scenes import (
    AT,
    FOUND,
    card_hurts,
    holding,
    looked,
    next_roll,
    resolve,
    shopping,
    stays,
)
from tests.engine.tables import Scene, Table

INFANTRY, JET = UnitKind.INFANTRY, UnitKind.JET

PLACES = {
    "manhattan": ("queens", "bronx", "bronx"),  # seat 0 finds it empty and enters
    "brooklyn": ("brooklyn", "queens", "lower_2_4"),
    "queens": ("queens", "bronx", "lower_2_4"),
    "bronx": ("bronx", "queens", "lower_2_4"),
    "staten_island": ("staten_island", "queens", "lower_2_4"),
}

GAINS: dict[str, tuple[int, dict[str, int], tuple[str, ...]]] = {
    "brooklyn_bridge": (6, {"stars": 4}, ("brooklyn",)),
    "central_park": (5, {"stars": 2, "health": 2}, ("manhattan",)),
    "coney_island": (4, {"stars": 3}, ("brooklyn",)),
    "drink_the_hudson": (
        12,
        {"stars": 1, "energy": 13, "health": 2},
        ("manhattan", "brooklyn", "staten_island"),
    ),
    "flatiron_building": (3, {"stars": 2}, ("manhattan",)),
    "new_york_marathon": (6, {"stars": 2, "energy": 2, "health": 2}, ()),
    "power_substation": (5, {"stars": 1, "energy": 8, "health": -3}, ()),
    "subterranean_cable": (0, {"energy": 4, "health": -4}, ()),
    "the_unisphere": (5, {"stars": 4}, ("queens",)),
    "yankee_stadium": (9, {"stars": 5, "health": 5}, ("bronx",)),
}
"""Price, what the buyer gets, and the boroughs in which it costs 1 less."""


def buyer(name: str, energy: int, area: str, health: int = 5) -> Table:
    """Seat 0, in that borough, may buy this card with so much energy."""
    shop = (name, "towering_titan", "shadow_double")
    table = Scene(shop=shop, energy={0: energy}, at=PLACES[area]).begin().roll("HHHHHH")
    if table.asked == "move@0":
        table.choose("stay")
    table.correct(0, Number.HEALTH, health)
    table.since()
    return table


@pytest.mark.clause("NY-15.4", "NY-15.5")
@pytest.mark.parametrize("area", PLACES)
@pytest.mark.parametrize("name", GAINS)
class TestGains:
    def test_the_buyer_alone_gets_what_it_says_at_the_price_of_its_borough(
        self, name: str, area: str
    ) -> None:
        cost, gains, district = GAINS[name]
        price = cost - (area in district)
        table = buyer(name, price, area).buy(name).show(FOUND)
        expected = {**gains, "energy": gains.get("energy", 0) - price}
        assert table.since() == {0: {k: v for k, v in expected.items() if v}}
        assert table.game.discards == (name,)
        next_roll(table)


class TestHollandTunnel:
    def test_six_stars_and_energy_for_all(self) -> None:
        table = shopping("holland_tunnel", energy={0: 9}).buy("holland_tunnel").show(FOUND)
        assert table.since() == {
            0: {"stars": 6, "energy": -6},
            1: {"energy": 3},
            2: {"energy": 3},
        }
        next_roll(table)


class TestAirForceOne:
    def pilot(self, letters: str, **more: object) -> Table:
        scene = {
            "at": AT,
            "units": {"brooklyn": (JET, INFANTRY), "queens": (INFANTRY,), "manhattan": (JET, JET)},
            "tops": {"brooklyn": ("skyscraper_3", "power_plant_3", "hospital_3")},
            "shop": ("air_force_one", "shadow_double", "towering_titan"),
            "energy": {0: 4},
        }
        return resolve(Scene(**{**scene, **more}).begin(), letters)  # type: ignore[arg-type]

    @pytest.mark.clause("NY-15.9", "NY-15.7")
    def test_after_a_jet_four_stars_and_each_is_hit_by_its_own_units(self) -> None:
        table = self.pilot("DDDCC").smash("jet").choose("stay")
        table.since()
        table.buy("air_force_one").show(FOUND)
        assert table.since() == {
            0: {"stars": 4, "energy": -6, "health": -1},  # the Infantry that is left
            1: {"health": -1},
            2: {"health": -2},
        }
        next_roll(table)  # it was no attack: nobody fled

    @pytest.mark.clause("NY-15.9")
    def test_not_without_a_jet(self) -> None:
        table = self.pilot("DDCC", energy={0: 6}).choose("stay")  # the Infantry falls
        assert table.options[f"buy_{table.card('air_force_one').id}"] == "forbidden"
        next_roll(table)


class TestColumbiaUniversity:
    def student(self, **more: object) -> Table:
        return shopping("columbia_university", energy={0: 6}, **more).buy("columbia_university")

    def test_the_card_in_its_own_place_is_the_buyers_for_nothing(self) -> None:
        table = self.student().show("fury", "coney_island")
        assert table.since() == {0: {"stars": 2, "energy": -6}}
        assert table.cards(0) == ["fury"]
        assert "coney_island" in table.shop()
        next_roll(table)

    def test_discard_cards_are_left_lying_until_a_keep_card_turns_up(self) -> None:
        table = self.student().show("coney_island")
        assert table.cards(0) == []
        stays(table.end_turn().correct(1, Number.ENERGY, 3).roll("HHHHHH"))
        table.choose("sweep").show("flatiron_building", "stomp")
        assert table.cards(0) == ["stomp"]
        assert table.cards(1) == []
        table.show("hunter", "drain")
        assert table.shop() == ["flatiron_building", "hunter", "drain"]
        assert table.cards(0) == ["stomp"]  # one, and no more
        next_roll(table, 2)

    def test_a_card_that_works_when_bought_works(self) -> None:
        table = self.student().show("overload", FOUND)
        assert table.since() == {0: {"stars": 2, "energy": -2}}
        next_roll(table)


class TestNextStage:
    def grown(self, stars: int, health: int = 5) -> Table:
        table = shopping("next_stage", energy={0: 4}, stars={0: stars, 1: 5, 2: 7})
        table.correct(0, Number.HEALTH, health)
        table.since()
        return table.buy("next_stage")

    @pytest.mark.parametrize("healed", range(4))
    def test_all_stars_become_energy_and_health_as_the_buyer_splits_them(self, healed: int) -> None:
        table = self.grown(3)
        assert table.asked == "split_stars@0"
        assert table.open == ["use_0", "use_1", "use_2", "use_3"]
        table.choose(f"use_{healed}").show(FOUND)
        expected = {"stars": -3, "energy": -4 + 3 - healed, "health": healed}
        assert table.since() == {0: {k: v for k, v in expected.items() if v}}
        next_roll(table)

    def test_health_beyond_the_maximum_is_lost(self) -> None:
        table = self.grown(6, health=9).choose("use_6").show(FOUND)
        assert table.since() == {0: {"stars": -6, "energy": -4, "health": 1}}


class TestPhotoOp:
    def fight(self, letters: str, **more: object) -> Table:
        shop = ("photo_op", "shadow_double", "long_neck")
        scene = {"shop": shop, "energy": {0: 4}, **more}
        return resolve(holding(**scene), letters)

    def test_a_star_for_each_damage_dealt_to_one_monster(self) -> None:
        table = self.fight("AAA").choose("stay").choose("stay")
        table.since()
        table.buy("photo_op").show(FOUND)
        assert table.since() == {0: {"stars": 3, "energy": -4}}
        next_roll(table)

    def test_the_buyer_chooses_whose_picture_it_is(self) -> None:
        table = self.fight("AA", at=("upper_2_4", "bronx", "queens"), energy={0: 2})
        table = card_hurts(table, (2, 1), by=0)
        table.since()
        table.buy("photo_op")
        assert table.asked == "photo@0"
        assert table.open == ["seat_1", "seat_2"]
        table.choose("seat_2").show(FOUND)
        assert table.since() == {0: {"stars": 3, "energy": -4}}
        next_roll(table)

    def test_not_more_than_there_was_to_lose(self) -> None:
        table = self.fight("AAAA", health={2: 2})
        assert table.asked == "buy@0"
        table.since()
        table.buy("photo_op").show(FOUND)
        assert table.since()[0] == {"stars": 2, "energy": -4}


class TestTeslaCannon:
    def fired(self, **more: object) -> Table:
        return shopping("tesla_cannon", energy={0: 5}, **more).buy("tesla_cannon")

    def test_every_owner_chooses_one_keep_card_to_discard(self) -> None:
        cards = {0: ("jinx_aura", "drain"), 1: ("fury",), 2: ("hunter", "diva")}
        table = self.fired(cards=cards)
        assert table.asked == "discard_keep@0"
        table.choose(f"drop_{table.card('drain').id}")
        assert table.asked == "discard_keep@2"  # seat 1 has only one
        table.choose(f"drop_{table.card('hunter').id}").show(FOUND)
        assert table.since() == {0: {"stars": 2, "energy": -5}}
        assert [table.cards(seat) for seat in range(3)] == [["jinx_aura"], [], ["diva"]]
        assert table.game.discards == ("drain", "fury", "hunter", "tesla_cannon")
        next_roll(table)


JET = UnitKind.JET


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

    def test_the_way_out_of_manhattan_too(self) -> None:
        shop = ("new_york_marathon", "holland_tunnel", "yankee_stadium")
        table = holding((2, "of_another_world"), shop=shop)
        resolve(looked(table), "A").choose("flee_bronx")
        assert table.since()[2] == {"health": -3, "place": "bronx"}
        next_roll(table)


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

"""Cards of King of New York that work once, when they are bought."""

from __future__ import annotations

import pytest

from companion.engine.events import Chosen
from companion.engine.values import Ended, Number, Seat, UnitKind
from tests.engine.cards.scenes import (
    AT,
    FOUND,
    card_hurts,
    holding,
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


@pytest.mark.clause("NY-15.4")
@pytest.mark.clause("NY-15.5")
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

    def test_one_energy_short_it_cannot_be_bought(self, name: str, area: str) -> None:
        cost, _, district = GAINS[name]
        price = cost - (area in district)
        table = buyer(name, max(price - 1, 0), area)
        if price < 3:  # free, or nothing at all can be paid
            assert table.asked == ("buy@0" if price == 0 else "roll@1")
            return
        option = f"buy_{table.card(name).id}"
        assert table.options[option] == "short"
        assert table.refuses(Chosen(Seat(0), option)) == "barred_short"


@pytest.mark.clause("NY-15.3")
@pytest.mark.parametrize("name", GAINS)
def test_it_works_once_when_it_is_bought_and_never_again(name: str) -> None:
    table = buyer(name, 12, "staten_island").buy(name).show(FOUND)
    table.since()
    next_roll(table)
    assert table.since() == {}
    assert table.roll("HHHHHH").end_turn().asked == "roll@2"
    assert table.since() == {2: {"stars": 1, "energy": 1}}


@pytest.mark.clause("NY-15.7")
@pytest.mark.parametrize(("name", "health"), [("power_substation", 3), ("subterranean_cable", 4)])
class TestCardsThatHurtTheirBuyer:
    def test_they_may_kill_it(self, name: str, health: int) -> None:
        table = buyer(name, 5, "queens", health).buy(name)
        assert not table.game.monsters[0].alive
        assert name in table.game.discards
        assert table.show(FOUND).asked == "roll@1"
        assert set(table.since()) == {0}


# -- Holland Tunnel -------------------------------------------------------------------------------


class TestHollandTunnel:
    def test_six_stars_and_energy_for_all(self) -> None:
        table = shopping("holland_tunnel", energy={0: 9}).buy("holland_tunnel").show(FOUND)
        assert table.since() == {
            0: {"stars": 6, "energy": -6},
            1: {"energy": 3},
            2: {"energy": 3},
        }
        next_roll(table)


# -- Air Force One --------------------------------------------------------------------------------


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

    @pytest.mark.clause("NY-15.9")
    @pytest.mark.clause("NY-15.7")
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

    def test_where_no_unit_stands_nobody_is_hurt_and_bullet_proof_does_not_help(self) -> None:
        units = {"brooklyn": (JET,), "queens": (INFANTRY,) * 2}
        table = self.pilot("DDD", units=units, cards={1: ("bullet_proof",)})
        table.smash("jet").choose("stay")
        table.since()
        table.buy("air_force_one").show(FOUND)
        assert table.since() == {0: {"stars": 4, "energy": -6}, 1: {"health": -2}}
        assert table.card("statue_of_liberty").owner == -1
        next_roll(table)

    def test_who_survives_it_alone_wins(self) -> None:
        table = self.pilot("DDDCC", health={1: 1, 2: 2}).smash("jet").choose("stay")
        table.buy("air_force_one").show(FOUND)
        assert table.game.ended == Ended("survival", (Seat(0),))


# -- Columbia University --------------------------------------------------------------------------


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

    def test_the_dead_claim_nothing(self) -> None:
        table = self.student().show("coney_island")
        table = card_hurts(table, (0, 10))
        assert table.asked == "roll@1"
        stays(table.correct(1, Number.ENERGY, 3).roll("HHHHHH"))
        table.choose("sweep").show("stomp", "hunter", "drain")
        assert table.cards(0) == []


# -- Next Stage -----------------------------------------------------------------------------------


class TestNextStage:
    def grown(self, stars: int, health: int = 5) -> Table:
        table = shopping("next_stage", energy={0: 4}, stars={0: stars})
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

    @pytest.mark.clause("NY-17.6")
    def test_it_may_give_the_game_away(self) -> None:
        table = self.grown(20).choose("use_0").show(FOUND)
        assert table.stars(0) == 0
        assert table.game.ended is None
        next_roll(table)

    def test_others_keep_their_stars(self) -> None:
        table = shopping("next_stage", energy={0: 4}, stars={0: 1, 1: 5, 2: 7})
        table.buy("next_stage").choose("use_0").show(FOUND)
        assert (table.stars(1), table.stars(2)) == (5, 7)


# -- Photo Op -------------------------------------------------------------------------------------


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

    def test_it_counts_damage_by_whatever_means(self) -> None:
        more = {"at": ("brooklyn", "brooklyn", "upper_2_4"), "units": {"brooklyn": (JET, JET)}}
        table = self.fight("OO", **more).choose("stay")
        assert table.since()[1] == {"health": -2}
        table.buy("photo_op").show(FOUND)
        assert table.since() == {0: {"stars": 2, "energy": -4}}
        next_roll(table)

    def test_not_more_than_there_was_to_lose(self) -> None:
        table = self.fight("AAAA", health={2: 2})
        assert table.asked == "buy@0"
        table.since()
        table.buy("photo_op").show(FOUND)
        assert table.since()[0] == {"stars": 2, "energy": -4}


# -- Tesla Cannon ---------------------------------------------------------------------------------


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

    def test_nobody_chooses_for_another(self) -> None:
        table = self.fired(cards={2: ("hunter", "diva")})
        option = f"drop_{table.card('hunter').id}"
        assert table.refuses(Chosen(Seat(0), option)) == "not_your_choice"
        table.choose(option).show(FOUND)
        next_roll(table)

    def test_health_above_a_maximum_that_fell_is_lost(self) -> None:
        table = self.fired(cards={1: ("carapace",)}, health={1: 12}).show(FOUND)
        assert table.health(1) == 10
        next_roll(table)

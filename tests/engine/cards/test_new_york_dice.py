"""Cards of King of New York about rolling, results and symbols, and their meetings."""

from __future__ import annotations

import pytest

from companion.engine.effects.numbers import Damage, GainStars
from companion.engine.events import DiceRolled
from companion.engine.values import Ended, ExtraTurn, Seat, Token, UnitKind
from tests.engine.cards.scenes import (
    FOUND,
    card_hurts,
    holding,
    looked,
    next_roll,
    resolve,
    shopping,
)
from tests.engine.tables import Table, dice

INFANTRY, JET = UnitKind.INFANTRY, UnitKind.JET
STRONG = {"brooklyn": ("skyscraper_3", "power_plant_3", "hospital_3")}
INSIDE = ("upper_2_4", "queens", "bronx")


class TestExtraHead:
    def test_its_owner_rolls_seven_dice(self) -> None:
        table = holding((0, "extra_head"))
        assert table.refuses(DiceRolled(dice("EEEEEE"), final=True)) == "dice_count"
        assert table.roll("EEEEEEE").since() == {0: {"energy": 7}}
        next_roll(table)


class TestJinxAura:
    def test_others_must_use_every_reroll(self) -> None:
        table = holding((1, "jinx_aura"))
        assert table.refuses(DiceRolled(dice("EEEEEE"), final=True)) == "must_roll"
        table.roll("EEEEEE", final=False)
        assert table.refuses(DiceRolled(dice("EEEEEE"), final=True)) == "must_roll"
        table.roll("EEEEEH", [5], final=False)
        assert table.refuses(DiceRolled(dice("EEEEEH"), final=True)) == "must_roll"
        table.roll("EEEEEE", [5])
        assert table.since() == {0: {"energy": 6}}
        next_roll(table)

    def test_its_owner_stops_when_it_likes(self) -> None:
        table = holding((0, "jinx_aura")).roll("EEEEEE")
        assert table.since() == {0: {"energy": 6}}
        next_roll(table)

    def test_with_terminal_rage_claws_stay_and_are_not_owed(self) -> None:
        table = holding((1, "jinx_aura"), (0, "terminal_rage")).roll("AAAAAE", final=False)
        assert table.refuses(DiceRolled(dice("AAAAAE"), final=True)) == "must_roll"
        table.roll("AAAAAA", [5], final=False)
        assert table.asked == "flee@2"  # nothing is left to throw
        next_roll(table.choose("stay"))

    def test_one_that_can_be_paid_is_owed(self) -> None:
        cursed = {0: {Token.CURSE: 1}}
        table = holding((1, "jinx_aura"), tokens=cursed, energy={0: 1})
        table.roll("OOOOOO", final=False)
        assert table.refuses(DiceRolled(dice("OOOOOO"), final=True)) == "must_roll"
        table.roll("EOOOOO", [0], final=False)
        assert table.energy(0) == 0
        # the ENERGY is free to throw: still owed
        assert table.refuses(DiceRolled(dice("EOOOOO"), final=True)) == "must_roll"
        table.order("OE").roll("EOOOOO", [0])
        next_roll(table)


class TestTerminalRage:
    def test_bought_it_brings_another_turn(self) -> None:
        table = shopping("terminal_rage", energy={0: 4}).buy("terminal_rage").show(FOUND)
        next_roll(table, 0)
        resolve(looked(table), "")
        next_roll(table)

    def test_claws_are_not_thrown_again(self) -> None:
        table = holding((0, "terminal_rage")).roll("AEEEEE", final=False)
        assert table.open_roll.free == (1, 2, 3, 4, 5)
        assert table.refuses(DiceRolled(dice("EEEEEE"), (0,))) == "die_not_free"
        table.roll("AEEEEH", [5])
        assert table.choose("heal").asked in ("group@0", "flee@2")


class TestClimb:
    def climb(self, letters: str, *cards: tuple[int, str], **more: object) -> Table:
        own = cards or ((0, "climb_the_empire_state_building"),)
        tops = {"manhattan": STRONG["brooklyn"], **STRONG}
        table = holding(*own, **{"at": ("midtown_2_4", "queens", "bronx"), "tops": tops, **more})
        return looked(table).order("EAHDCO").roll(letters)

    def test_all_six_faces_in_manhattan(self) -> None:
        table = self.climb("EAHDCO")
        assert table.since() == {
            0: {"stars": 2, "energy": 1, "place": "upper_2_4"},
            1: {"health": -1},
            2: {"health": -1},
        }
        next_roll(table, 0)

    @pytest.mark.clause("H18", "B5")
    @pytest.mark.parametrize("climb_first", [True, False])
    @pytest.mark.parametrize(
        ("adding", "letters"),
        [
            ("stomp", "EAHCCO"),
            ("towering_titan", "EHDCOC"),
            ("fury", "AAHCOD"),
            ("fury", "EAHCOC"),
            ("painbow", "EHDDCO"),
            ("hailing_cabs", "EAHCCO"),
        ],
    )
    def test_symbols_that_cards_add_are_part_of_the_result(
        self, adding: str, letters: str, climb_first: bool
    ) -> None:
        """Whichever of the two cards was bought first."""
        cards = [(0, adding), (0, "climb_the_empire_state_building")]
        units = {"manhattan": (UnitKind.INFANTRY,) * 3}
        table = self.climb(letters, *cards[:: -1 if climb_first else 1], units=units)
        if table.asked == "hail_cabs@0":
            table.choose("use")
        assert [e.amount for e in table.happened(GainStars) if "climb" in e.source] == [2]
        assert table.game.extra == (ExtraTurn(Seat(0)),)

    @pytest.mark.clause("H18")
    def test_cabs_that_are_not_hailed_add_nothing(self) -> None:
        cards = ((0, "hailing_cabs"), (0, "climb_the_empire_state_building"))
        table = self.climb("EAHCCO", *cards).choose("pass")
        assert table.since()[0] == {"energy": 1, "place": "upper_2_4"}
        next_roll(table)

    @pytest.mark.clause("H18")
    def test_a_face_that_another_becomes_later_does_not_count(self) -> None:
        cards = ((0, "artificial_heart"), (0, "climb_the_empire_state_building"))
        table = self.climb("HAHDCO", *cards).choose("use_1")
        assert table.since()[0] == {"energy": 1, "place": "upper_2_4"}
        next_roll(table)


class TestPainbow:
    def paint(self, letters: str, *cards: tuple[int, str]) -> Table:
        table = looked(holding(*(cards or ((0, "painbow"),)), tops=STRONG))
        return resolve(table, letters)

    @pytest.mark.parametrize(("destruction", "claws"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2)])
    def test_two_bring_a_claw_four_bring_two(self, destruction: int, claws: int) -> None:
        table = self.paint("D" * destruction)
        if table.asked == "destroy@0":
            table.smash("hospital_3")
        while table.asked == "tile@0":
            table.tile("skyscraper_3")
        while table.asked == "destroy@0":
            table.choose(table.open[0])
        if claws:
            table.choose("stay")
        assert table.health(2) == 10 - claws
        assert table.health(1) == 10
        next_roll(table)

    def test_six_win_the_game(self) -> None:
        table = self.paint("DDDDDD")
        assert table.game.ended == Ended("card", (Seat(0),))


class TestPersonalSpotlight:
    @pytest.mark.parametrize(("letters", "stars"), [("C", 1), ("CC", 1), ("", 0)])
    def test_a_star_in_a_turn_with_a_celebrity(self, letters: str, stars: int) -> None:
        table = resolve(holding((0, "personal_spotlight")), letters)
        assert table.since() == ({0: {"stars": stars}} if stars else {})
        next_roll(table)

    def test_not_when_another_rolls_it(self) -> None:
        table = resolve(holding((1, "personal_spotlight")), "CC")
        assert table.since() == {}
        next_roll(table)


class TestArtificialHeart:
    @pytest.mark.parametrize("order", ["HE", "EH"])
    @pytest.mark.parametrize("turned", [0, 1, 3])
    def test_hearts_count_as_energy_in_either_order(self, order: str, turned: int) -> None:
        table = holding((0, "artificial_heart"), health={0: 5}).order(order).roll("HHHEEE")
        assert table.asked == "convert@0"
        assert table.open == ["use_0", "use_1", "use_2", "use_3"]
        table.choose(f"use_{turned}")
        expected = {"energy": 3 + turned, "health": 3 - turned}
        assert table.since() == {0: {k: v for k, v in expected.items() if v}}
        next_roll(table)


class TestUniversalSoldier:
    def soldier(self, order: str, letters: str = "AAHHEE") -> Table:
        table = looked(holding((0, "universal_soldier"), health={0: 5}))
        return table.order(order + "E").roll(letters)

    @pytest.mark.clause("NY-G4", "NY-6.1")
    @pytest.mark.parametrize(("order", "answers"), [("HA", (2,)), ("AH", (2, 0))])
    def test_hearts_strike_with_the_claws_in_both_orders(
        self, order: str, answers: tuple[int, ...]
    ) -> None:
        table = self.soldier(order)
        for answer in answers:
            assert table.asked == "convert@0"
            table.choose(f"use_{answer}")
        assert table.asked == "flee@2"
        assert [hurt.amount for hurt in table.happened(Damage)] == [4]  # one blow, not two
        table.choose("stay")
        assert table.since() == {0: {"energy": 2}, 2: {"health": -4}}
        next_roll(table)

    @pytest.mark.clause("NY-G4", "B5")
    def test_claws_that_a_card_added_heal_too(self) -> None:
        table = looked(holding((0, "universal_soldier"), (0, "towering_titan"), health={0: 5}))
        table.order("AHE").roll("AHEEEE").choose("use_0")
        assert table.open == ["use_0", "use_1", "use_2", "use_3"]
        table.choose("use_3")
        assert table.since() == {0: {"energy": 4, "health": 4}}
        next_roll(table)

    @pytest.mark.clause("NY-9.2")
    def test_in_manhattan_claws_turned_to_hearts_heal_nothing(self) -> None:
        table = looked(holding((0, "universal_soldier"), at=INSIDE, health={0: 5}))
        resolve(table, "AAAAAA").choose("use_6")
        if table.asked == "convert@0":
            table.choose("use_0")
        assert table.since() == {}
        next_roll(table)


class TestOverload:
    def test_four_energy_when_bought_for_nothing(self) -> None:
        table = shopping("overload").buy("overload").show(FOUND)
        assert table.since() == {0: {"energy": 4}}
        next_roll(table)

    @pytest.mark.parametrize(("order", "gained"), [("HE", 5), ("EH", 5)])
    def test_hearts_that_count_as_energy_too(self, order: str, gained: int) -> None:
        table = looked(holding((0, "overload"), (0, "artificial_heart")))
        table.order(order).roll("HHHEEE").choose("use_3")
        assert table.since() == {0: {"energy": gained}}
        next_roll(table)


class TestNaturalSelection:
    def test_bought_it_feeds_and_heals(self) -> None:
        table = shopping("natural_selection", energy={0: 2})
        table = card_hurts(table, (0, 6))
        table.since()
        table.buy("natural_selection").show(FOUND)
        assert table.since() == {0: {"energy": 2, "health": 4}}
        assert table.cards(0) == ["natural_selection"]
        next_roll(table)

    @pytest.mark.clause("NY-17.2", "NY-17.1")
    def test_twenty_stars_do_not_save_it(self) -> None:
        table = holding((0, "natural_selection"), stars={0: 19}).order("EC").roll("CCCEEEE")
        assert table.stars(0) == 20
        table.end_turn()
        assert table.game.ended is None
        assert not table.game.monsters[0].alive

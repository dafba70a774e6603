"""Eight cards of King of New York in depth: each works, does not work just outside its condition,
and meets other cards.
"""

from __future__ import annotations

import pytest

from companion.engine import Position
from companion.engine.effects.cards import DropCard
from companion.engine.effects.numbers import Damage, GiveTokens
from companion.engine.events import Chosen, DiceRolled
from companion.engine.game import Together
from companion.engine.questions import Choice, Roll
from companion.engine.registry import RULESETS
from companion.engine.values import Ended, Face, Seat, Token, UnitKind
from tests.engine.tables import NEW_YORK, Scene, Table, after, dice

INFANTRY, JET, TANK = UnitKind.INFANTRY, UnitKind.JET, UnitKind.TANK
MANHATTAN_INCOME = {"stars": 1, "energy": 1}


def claws(table: Table, count: int) -> Table:
    """Seat 0 resolves so many claws, and hearts that do nothing."""
    return table.order("AH").roll("A" * count + "H" * (6 - count))


def card_hurts(table: Table, *blows: tuple[int, int], by: int = -1) -> Table:
    """Damage at once that is no attack: amounts by seat."""
    packet = Together(tuple(Damage(Seat(seat), amount, Seat(by)) for seat, amount in blows))
    return after(table.game, packet)


def shopping(**scene: object) -> Table:
    """Seat 0, which rolled hearts and stayed, is asked what it buys."""
    table = Scene(**scene).begin().roll("HHHHHH")  # type: ignore[arg-type]
    if table.asked == "move@0":
        table.choose("stay")
    table.since()
    return table


# -- Carapace -------------------------------------------------------------------------------------


class TestCarapace:
    @pytest.mark.clause("NY-15.6")
    @pytest.mark.clause("NY-9.1")
    @pytest.mark.parametrize(("before", "gain"), [(10, 2), (5, 6), (11, 1), (12, 0)])
    def test_its_owner_heals_up_to_twelve(self, before: int, gain: int) -> None:
        table = Scene(cards={0: ("carapace",)}, health={0: before}).begin().roll("HHHHHH")
        assert table.since() == ({0: {"health": gain}} if gain else {})

    def test_others_heal_up_to_ten(self) -> None:
        table = Scene(cards={2: ("carapace",)}, health={0: 9}).begin().roll("HHHHHH")
        assert table.since() == {0: {"health": 1}}

    def test_buying_it_does_not_heal(self) -> None:
        table = shopping(energy={0: 3}, shop=("carapace", "fury", "stomp")).buy("carapace")
        assert table.since() == {0: {"energy": -3}}

    @pytest.mark.parametrize(("faces", "counters"), [("OOHHHH", 2), ("OHHHHH", 1), ("HHHHHH", 0)])
    def test_each_ouch_of_the_final_roll_puts_a_token_on_it(
        self, faces: str, counters: int
    ) -> None:
        table = Scene(cards={0: ("carapace",)}).begin().order("OH").roll(faces)
        assert table.card("carapace").counters == counters
        assert table.asked == "move@0"

    def test_ouches_of_an_earlier_roll_or_of_others_do_not(self) -> None:
        table = Scene(cards={0: ("carapace",)}).begin()
        table.roll("OOHHHH", final=False).roll("HHHHHH", (0, 1))
        assert table.card("carapace").counters == 0
        table.end_turn().order("OH").roll("OOHHHH")
        assert table.card("carapace").counters == 0

    def test_shedding_it_heals_one_for_each_token(self) -> None:
        table = Scene(cards={0: ("carapace",)}, counters={"carapace": 3}, health={0: 4}).begin()
        assert table.offered(0) == ["shed_the_shell"]
        table.power("shed_the_shell", 0)
        assert table.since() == {0: {"health": 3}}
        assert table.cards(0) == []
        assert table.game.discards == ("carapace",)
        assert table.asked == "roll@0"
        table.roll("HHHHHH")
        assert table.since() == {0: {"health": 3}}  # ten again

    def test_the_maximum_is_ten_again_before_the_tokens_heal(self) -> None:
        table = Scene(cards={0: ("carapace",)}, counters={"carapace": 5}, health={0: 8}).begin()
        table.power("shed_the_shell", 0)
        assert table.since() == {0: {"health": 2}}

    @pytest.mark.parametrize(("counters", "health"), [(0, 4), (3, 10), (3, 12)])
    def test_not_where_it_would_heal_nothing(self, counters: int, health: int) -> None:
        table = Scene(
            cards={0: ("carapace",)}, counters={"carapace": counters}, health={0: health}
        ).begin()
        assert table.offered(0) == []

    def test_in_anothers_turn_too(self) -> None:
        table = Scene(cards={2: ("carapace",)}, counters={"carapace": 1}, health={2: 4}).begin()
        table.power("shed_the_shell", 2)
        assert table.since() == {2: {"health": 1}}
        assert table.asked == "roll@0"

    def test_before_the_last_blow_its_owner_is_asked(self) -> None:
        scene = Scene(
            cards={2: ("carapace",)},
            counters={"carapace": 3},
            health={0: 5, 2: 2},
            units={"queens": (INFANTRY, JET), "brooklyn": (TANK,)},
        )
        table = scene.begin().roll("OOOOOO")
        assert table.asked == "shed_at_last@2"
        assert table.since() == {}  # nobody is hurt yet
        table.choose("use")
        assert table.since() == {0: {"health": -1, "stars": 3}, 2: {"health": 3 - 2}}
        assert table.game.discards == ("carapace",)
        assert table.asked == "move@0"

    def test_and_may_let_itself_die(self) -> None:
        table = Scene(cards={1: ("carapace",)}, counters={"carapace": 3}, health={1: 2}).begin()
        claws(table, 2)
        assert table.asked == "shed_at_last@1"
        table.choose("pass")
        assert table.since() == {
            0: {"stars": 1, "place": "lower_2_4"},
            1: {"health": -2, "alive": False},
        }

    @pytest.mark.parametrize(("health", "counters"), [(3, 3), (2, 0)])
    def test_not_before_a_blow_it_survives_nor_without_tokens(
        self, health: int, counters: int
    ) -> None:
        table = Scene(
            cards={1: ("carapace",)}, counters={"carapace": counters}, health={1: health}
        ).begin()
        claws(table, 2)
        assert table.since()[1]["health"] == -2
        assert "shed_at_last" not in table.asked

    @pytest.mark.clause("TK-16.1")
    def test_losing_it_above_ten_trims(self) -> None:
        table = Scene(cards={0: ("carapace",)}, health={0: 12}).begin()
        card = table.card("carapace")
        lost = after(table.game, DropCard(Seat(0), card.id, card.name))
        assert lost.since() == {0: {"health": -2}}


# -- Chameleon ------------------------------------------------------------------------------------


class TestChameleon:
    def test_a_celebrity_given_up_turns_another_die(self) -> None:
        table = Scene(cards={0: ("chameleon",)}).begin().order("ECAH").roll("CCAHHH")
        assert table.asked == "last_word@0"
        table.power("give_up_fame", 0)
        assert table.asked == "turn_die@0"
        table.choose("die_3")
        assert table.asked == "turn_to@0"
        assert table.open == ["energy", "attack", "destruction", "celebrity", "ouch"]
        table.choose("energy")
        assert table.asked == "last_word@0"  # one more CELEBRITY
        table.choose("go")
        assert table.since() == {0: {"energy": 1}, 1: {"health": -1}}
        assert table.choose("stay").end_turn().asked == "roll@1"

    def test_any_number_of_them(self) -> None:
        table = Scene(cards={0: ("chameleon",)}).begin().order("EH").roll("CCHHHH")
        for die in ("die_2", "die_3"):
            table.power("give_up_fame", 0).choose(die).choose("energy")
        assert table.since() == {0: {"energy": 2}}
        assert table.asked == "move@0"

    def test_a_celebrity_may_be_turned_by_another(self) -> None:
        table = Scene(cards={0: ("chameleon",)}).begin().order("EHC").roll("CCHHHH")
        table.power("give_up_fame", 0).choose("die_0").choose("energy")
        assert table.game.turn.spent == (1,)
        assert table.since() == {0: {"energy": 1}}

    def test_a_single_celebrity_cannot_turn_itself(self) -> None:
        table = Scene(cards={0: ("chameleon",)}).begin().order("HC").roll("CHHHHH")
        table.power("give_up_fame", 0)
        assert "die_0" not in table.open
        assert len(table.open) == 5

    def test_between_groups_only_dice_not_resolved_yet(self) -> None:
        table = Scene(cards={0: ("chameleon",)}).begin().roll("CEEHAA").choose("go")
        assert table.asked == "group@0"
        table.choose("energy")
        table.power("give_up_fame", 0)
        assert table.open == ["die_3", "die_4", "die_5"]
        table.choose("die_3")
        assert "energy" not in table.open  # that group is done
        table.choose("attack")
        assert table.since() == {0: {"energy": 2}, 1: {"health": -3}}

    @pytest.mark.parametrize("faces", ["HHHHHH", "EAHHDD"])
    def test_without_a_celebrity_nothing_is_offered(self, faces: str) -> None:
        table = Scene(cards={0: ("chameleon",)}).begin().order("EAHD").roll(faces)
        assert "last_word" not in table.asked

    def test_not_before_the_last_roll_nor_in_anothers_turn(self) -> None:
        table = Scene(cards={0: ("chameleon",), 2: ("diva",)}).begin().roll("CCHHHH", final=False)
        assert table.offered(0) == []
        others = Scene(cards={2: ("chameleon",)}).begin().order("CH").roll("CCHHHH")
        assert others.offered(2) == []
        assert others.asked == "move@0"

    def test_letting_it_pass_leaves_the_dice_alone(self) -> None:
        table = Scene(cards={0: ("chameleon",)}).begin().order("CH").roll("CCCHHH").choose("go")
        assert table.since() == {0: {"stars": 1}}
        assert table.asked == "move@0"

    def test_a_given_up_celebrity_no_longer_counts(self) -> None:
        table = Scene(cards={0: ("chameleon",)}).begin().order("CEH").roll("CCCHHH")
        table.power("give_up_fame", 0).choose("die_3").choose("energy").choose("go")
        assert table.since() == {0: {"energy": 1}}
        assert table.card("superstar").owner == -1


# -- Webspinner -----------------------------------------------------------------------------------


class TestWebspinner:
    def test_each_monster_its_owner_damages_gets_a_web(self) -> None:
        table = Scene(
            players=4, at=("lower_2_4", "bronx", "queens", "queens"), cards={0: ("webspinner",)}
        ).begin()
        table.since()
        claws(table, 2)
        assert [table.tokens(seat) for seat in range(4)] == [{}, *[{"web": 1}] * 3]
        assert table.since() == {
            0: {"place": "midtown_2_4"},
            1: {"health": -2},
            2: {"health": -2},
            3: {"health": -2},
        }
        assert table.game.turn.rolls_left == 2  # seat 1 rolls now, with a reroll less

    def test_damage_of_a_card_counts_and_its_own_does_not(self) -> None:
        table = Scene(cards={0: ("webspinner",)}).begin()
        hurt = card_hurts(table, (0, 1), (2, 1), by=0)
        assert [hurt.tokens(seat) for seat in range(3)] == [{}, {}, {"web": 1}]

    def test_others_damage_gives_none(self) -> None:
        table = claws(Scene(cards={2: ("webspinner",)}).begin(), 1)
        assert table.tokens(1) == {}

    def test_the_dead_get_none(self) -> None:
        table = claws(Scene(cards={0: ("webspinner",)}, health={1: 1}).begin(), 1)
        assert table.game.in_play.tokens == ()

    @pytest.mark.parametrize("used", [0, 1, 2])
    def test_claws_may_take_webs_off_instead_of_hurting(self, used: int) -> None:
        table = claws(Scene(tokens={0: {Token.WEB: 2}}).begin(), 3)
        assert table.asked == "use_on_tokens@0"
        assert table.open == ["use_0", "use_1", "use_2"]
        table.choose(f"use_{used}")
        assert table.tokens(0) == ({"web": 2 - used} if used < 2 else {})
        assert table.since() == {1: {"health": used - 3}}
        assert table.choose("stay").end_turn().asked == "roll@1"

    def test_all_claws_on_webs_are_no_attack_and_end_the_group(self) -> None:
        table = claws(Scene(tokens={0: {Token.WEB: 5}}).begin(), 2)
        assert table.open == ["use_0", "use_1", "use_2"]
        table.choose("use_2")
        assert table.tokens(0) == {"web": 3}
        assert table.since() == {}
        assert table.asked == "move@0"

    def test_without_webs_or_without_claws_nothing_is_asked(self) -> None:
        assert claws(Scene(tokens={1: {Token.WEB: 2}}).begin(), 1).asked == "flee@1"
        table = Scene(tokens={0: {Token.WEB: 2}}).begin().roll("HHHHHH")
        assert table.asked == "move@0"


# -- Curse ----------------------------------------------------------------------------------------


class TestCurse:
    def test_each_monster_its_owner_damages_is_cursed(self) -> None:
        table = claws(Scene(cards={0: ("curse",)}).begin(), 1)
        assert table.tokens(1) == {"curse": 1}
        assert table.since() == {1: {"health": -1}}
        assert table.asked == "flee@1"

    @pytest.mark.parametrize(
        ("curses", "rethrown", "price"),
        [(1, (0,), 1), (2, (0,), 2), (2, (0, 1), 2), (2, (0, 3), 2), (2, (3,), 0), (0, (0,), 0)],
    )
    def test_rerolling_ouches_costs_one_for_each_curse(
        self, curses: int, rethrown: tuple[int, ...], price: int
    ) -> None:
        tokens = {0: {Token.CURSE: curses}} if curses else {}
        table = Scene(tokens=tokens, energy={0: 5}).begin().roll("OOHHHH", final=False)
        asked = table.question
        assert isinstance(asked, Roll)
        assert asked.counted == bool(curses)
        faces = ["C" if i in rethrown else f for i, f in enumerate("OOHHHH")]
        table.roll("".join(faces), rethrown, final=False)
        assert table.since() == ({0: {"energy": -price}} if price else {})
        assert table.asked == "roll@0"

    def test_each_time(self) -> None:
        table = Scene(tokens={0: {Token.CURSE: 1}}, energy={0: 5}).begin()
        table.roll("OOHHHH", final=False).roll("OOCHHH", (0, 2), final=False)
        assert table.energy(0) == 4
        table.roll("HOCHHH", (0,))
        assert table.energy(0) == 3

    def test_who_cannot_pay_cannot_reroll_them(self) -> None:
        table = Scene(tokens={0: {Token.CURSE: 2}}, energy={0: 1}).begin()
        table.roll("OOHHHH", final=False)
        assert table.refuses(DiceRolled(dice("CCHHHH"), (0, 1))) == "cannot_pay"
        assert table.refuses(DiceRolled(dice("CCHHHH"), final=True)) == "cannot_pay"
        table.roll("OOCHHH", (2,))  # other dice are free
        assert table.energy(0) == 1

    def test_which_dice_were_thrown_is_told_from_the_faces_wherever_they_lie(self) -> None:
        """The camera knows no die by name: a heart became a star and the dice lie in new order."""
        table = Scene(tokens={0: {Token.CURSE: 1}}, energy={0: 0}).begin()
        table.roll("OHHHHH", final=False)
        table.roll("HHHHCO", final=False)
        assert table.game.turn.faces == dice("HHHHCO")
        assert table.asked == "roll@0"
        assert table.refuses(DiceRolled(dice("HHHHCC"))) == "cannot_pay"

    @pytest.mark.parametrize("used", [0, 1, 2])
    def test_hearts_may_lift_curses_instead_of_healing(self, used: int) -> None:
        table = Scene(tokens={0: {Token.CURSE: 2}}, health={0: 5}).begin().order("HC")
        table.roll("HHHCCO").order("HCO")
        assert table.asked == "use_on_tokens@0"
        table.choose(f"use_{used}")
        assert table.tokens(0) == ({"curse": 2 - used} if used < 2 else {})
        assert table.since() == ({0: {"health": 3 - used}} if used < 3 else {})

    @pytest.mark.clause("NY-9.2")
    def test_in_manhattan_too(self) -> None:
        table = Scene(
            at=("lower_2_4", "bronx", "queens"), tokens={0: {Token.CURSE: 2}}, health={0: 5}
        ).begin()
        table.since()
        table.roll("HHHHHH").choose("use_2")
        assert table.tokens(0) == {}
        assert table.since() == {0: {"place": "midtown_2_4"}}

    def test_tokens_of_the_dead_and_of_a_dead_owner(self) -> None:
        table = Scene(
            players=4,
            cards={0: ("curse", "webspinner")},
            tokens={2: {Token.CURSE: 1}, 3: {Token.WEB: 2}},
            health={0: 1, 2: 1},
        ).begin()
        hurt = card_hurts(table, (0, 1), (2, 1))
        assert hurt.tokens(2) == {}
        assert hurt.tokens(3) == {"web": 2}  # they stay although their giver is dead
        assert sorted(hurt.game.discards) == ["curse", "webspinner"]
        assert hurt.asked == "roll@1"

    def test_both_cards_give_both_tokens(self) -> None:
        table = claws(Scene(cards={0: ("curse", "webspinner")}).begin(), 2)
        assert table.tokens(1) == {"curse": 1, "web": 1}
        given = [(e.seat, e.token) for e in table.happened(GiveTokens)]
        assert given == [(1, Token.CURSE), (1, Token.WEB)]


# -- Shadow Double --------------------------------------------------------------------------------


class TestShadowDouble:
    @pytest.mark.clause("NY-8.5")
    def test_damage_of_its_owners_attack_is_doubled(self) -> None:
        table = claws(Scene(cards={0: ("shadow_double",)}).begin(), 3)
        assert table.since() == {1: {"health": -6}}
        asked = table.question
        assert isinstance(asked, Choice)
        assert ("amount", 6) in asked.about

    @pytest.mark.clause("NY-8.1")
    def test_for_every_target(self) -> None:
        table = Scene(at=("lower_2_4", "bronx", "queens"), cards={0: ("shadow_double",)}).begin()
        table.since()
        claws(table, 2)
        assert table.since() == {
            0: {"place": "midtown_2_4"},
            1: {"health": -4},
            2: {"health": -4},
        }

    @pytest.mark.clause("NY-8.4")
    @pytest.mark.clause("NY-12.10")
    def test_what_is_no_attack_is_not(self) -> None:
        units = {"queens": (INFANTRY,)}
        table = Scene(cards={0: ("shadow_double",)}, units=units).begin().roll("OOOOOO")
        assert table.since() == {0: {"stars": 3}, 2: {"health": -1}}
        hurt = card_hurts(table, (1, 2), by=0)
        assert hurt.since() == {1: {"health": -2}}

    def test_others_attacks_are_not(self) -> None:
        table = claws(Scene(cards={1: ("shadow_double",), 2: ("fury",)}).begin(), 2)
        assert table.since() == {1: {"health": -2}}

    def test_with_webs_only_the_claws_that_are_left_are_doubled(self) -> None:
        table = claws(
            Scene(cards={0: ("shadow_double",)}, tokens={0: {Token.WEB: 1}}).begin(), 3
        ).choose("use_1")
        assert table.since() == {1: {"health": -4}}

    def test_it_counts_once_for_each_blow(self) -> None:
        table = claws(Scene(cards={0: ("shadow_double", "webspinner")}).begin(), 1)
        assert table.tokens(1) == {"web": 1}
        assert table.since() == {1: {"health": -2}}


# -- General Ellis --------------------------------------------------------------------------------


class TestGeneralEllis:
    @staticmethod
    def after_destroying(unit: UnitKind, **more: object) -> Table:
        """Seat 0 stands in Brooklyn with Ellis for sale, having destroyed a Unit there."""
        scene: dict[str, object] = {
            "energy": {0: 9},
            "shop": ("general_ellis", "fury", "stomp"),
            "units": {"brooklyn": (unit,)},
            "tops": {"brooklyn": ("skyscraper_3", "power_plant_3", "hospital_3")},
        }
        table = Scene(**scene | more).begin()  # type: ignore[arg-type]
        need = RULESETS[NEW_YORK].tiles[unit].durability
        table.order("DC").roll("D" * need + "C" * min(2, 6 - need) + "O" * (4 - need))
        if table.asked == "group@0":
            table.order("DCO")
        if table.asked == "destroy@0":
            table.smash(unit)
        table.choose("stay")
        table.since()
        return table

    @pytest.mark.clause("NY-15.9")
    @pytest.mark.clause("NY-15.7")
    @pytest.mark.clause("NY-13.11")
    def test_after_a_tank_it_strikes_everybody(self) -> None:
        table = self.after_destroying(TANK).buy("general_ellis")
        assert table.since() == {
            0: {"energy": -5, "stars": 3, "health": -1},
            1: {"health": -1},  # and may not flee
            2: {"health": -1},
        }
        assert table.asked == "card@0"
        assert table.game.discards == ("general_ellis",)
        assert table.show("diva").end_turn().asked == "roll@1"

    @pytest.mark.clause("NY-15.9")
    @pytest.mark.parametrize("unit", [INFANTRY, JET])
    def test_not_after_another_unit(self, unit: UnitKind) -> None:
        table = self.after_destroying(unit)
        ellis = f"buy_{table.card('general_ellis').id}"
        assert table.options[ellis] == "forbidden"
        assert table.refuses(Chosen(Seat(0), ellis)) == "barred_forbidden"

    @pytest.mark.clause("NY-15.9")
    def test_not_for_a_tank_of_an_earlier_turn_or_of_another(self) -> None:
        table = self.after_destroying(TANK, energy={0: 2, 1: 9}).end_turn()
        table.roll("HHHHHH")
        assert table.asked == "buy@1"
        assert table.options[f"buy_{table.card('general_ellis').id}"] == "forbidden"

    def test_other_cards_are_not_forbidden(self) -> None:
        table = self.after_destroying(INFANTRY)
        assert table.options[f"buy_{table.card('fury').id}"] == ""

    def test_who_dies_of_its_own_general(self) -> None:
        table = self.after_destroying(TANK, health={0: 1}).buy("general_ellis")
        assert table.since()[0] == {"energy": -9, "stars": 3, "health": -1, "alive": False}
        assert table.game.discards == ("general_ellis",)
        assert table.asked == "card@1"  # a living Monster names the card that fills the slot
        assert table.show("diva").asked == "roll@1"

    def test_when_everybody_dies_of_it_no_card_is_named_any_more(self) -> None:
        table = self.after_destroying(TANK, health=dict.fromkeys(range(3), 1))
        table.buy("general_ellis")
        assert table.game.ended == Ended("all_dead", ())

    @pytest.mark.clause("NY-13.12")
    def test_a_death_in_manhattan_by_it_is_filled_in_the_next_move_phase(self) -> None:
        table = self.after_destroying(TANK, health={1: 1}).buy("general_ellis")
        assert table.since()[1] == {"health": -1, "alive": False}
        assert table.place(0) == "brooklyn"
        table.show("diva").end_turn().roll("AAAAAA")
        assert table.place(2) == "lower_2_4"
        assert table.health(0) == 9  # its claws hurt nobody: Manhattan was empty

    def test_with_webspinner_everybody_it_wounds_gets_a_web(self) -> None:
        table = self.after_destroying(TANK, cards={0: ("webspinner",)}).buy("general_ellis")
        assert [table.tokens(seat) for seat in range(3)] == [{}, {"web": 1}, {"web": 1}]

    def test_with_shadow_double_one_is_one(self) -> None:
        table = self.after_destroying(TANK, cards={0: ("shadow_double",)}).buy("general_ellis")
        assert table.since()[2] == {"health": -1}


# -- New York Marathon ----------------------------------------------------------------------------


class TestNewYorkMarathon:
    SHOP = ("new_york_marathon", "fury", "stomp")

    def test_bought_it_gives_stars_energy_and_health(self) -> None:
        table = shopping(energy={0: 6}, health={0: 1}, shop=self.SHOP)
        table.since()
        table.buy("new_york_marathon")
        assert table.since() == {0: {"energy": -6 + 2, "stars": 2, "health": 2}}

    def test_for_sale_a_move_by_choice_costs_two(self) -> None:
        table = Scene(energy={0: 2}, shop=self.SHOP).begin().roll("HHHHHH")
        table.choose("move_bronx")
        assert table.since() == {0: {"energy": -2, "place": "bronx"}, 1: MANHATTAN_INCOME}

    @pytest.mark.parametrize("energy", [0, 1])
    def test_who_cannot_pay_stays_unasked(self, energy: int) -> None:
        table = Scene(energy={0: energy}, shop=self.SHOP).begin().roll("HHHHHH")
        assert table.asked == "roll@1"

    def test_staying_is_free(self) -> None:
        table = Scene(energy={0: 5}, shop=self.SHOP).begin().roll("HHHHHH").choose("stay")
        assert table.since() == {}

    def test_fleeing_costs_two(self) -> None:
        table = claws(Scene(energy={1: 2}, shop=self.SHOP).begin(), 1)
        assert table.asked == "flee@1"
        table.choose("flee_bronx")
        assert table.since() == {
            0: {"stars": 1, "place": "lower_2_4"},
            1: {"health": -1, "energy": -2, "place": "bronx"},
        }

    def test_who_cannot_pay_cannot_flee(self) -> None:
        table = claws(Scene(energy={1: 1}, shop=self.SHOP).begin(), 1)
        assert table.asked == "roll@1"
        assert table.since() == {1: {"health": -1, **MANHATTAN_INCOME}}

    def test_entering_and_advancing_are_free(self) -> None:
        entering = Scene(at=("brooklyn", "bronx", "queens"), shop=self.SHOP).begin()
        assert entering.roll("HHHHHH").since() == {0: {"stars": 1, "place": "lower_2_4"}}
        advancing = Scene(at=("lower_2_4", "bronx", "queens"), shop=self.SHOP).begin()
        advancing.since()
        assert advancing.roll("HHHHHH").since() == {0: {"place": "midtown_2_4"}}

    def test_in_the_discards_it_costs_nobody(self) -> None:
        table = shopping(energy={0: 6}, shop=self.SHOP).buy("new_york_marathon").show("diva")
        table.choose("end")
        assert Position.of(table.game).toll(Seat(1)) == 0

    @pytest.mark.clause("NY-18.8")
    def test_being_driven_out_is_free(self) -> None:
        at = ("lower_2_4", "midtown_5_6", "queens", "queens", "bronx")
        table = Scene(players=5, at=at, health={2: 1}, shop=self.SHOP).begin()
        table.since()
        claws(table, 1).choose("brooklyn")
        assert table.since()[1] == {"place": "brooklyn"}


# -- Subway ---------------------------------------------------------------------------------------


class TestSubway:
    @staticmethod
    def bought(**more: object) -> Table:
        scene = {"energy": {0: 10}, "shop": ("subway", "fury", "stomp")}
        table = shopping(**scene | more)
        table.buy("subway").show("diva")
        return table

    def test_two_health_and_another_turn(self) -> None:
        table = self.bought(health={0: 1}, energy={0: 13})
        assert table.since() == {0: {"energy": -10, "health": 2}}
        assert table.asked == "buy@0"
        assert table.offered(0) == []  # it rides in the turn that follows
        table.choose("end")
        assert table.asked == "roll@0"
        assert table.game.turn.number == 5
        assert table.offered(0) == ["ride"]

    def test_only_one_more_turn(self) -> None:
        table = self.bought()
        table.end_turn().roll("HHHHHH").end_turn()
        assert table.asked == "roll@1"
        assert table.offered(0) == []
        assert table.game.in_play.conditions == ()

    def test_rides_as_often_as_it_wants_at_any_moment(self) -> None:
        table = self.bought().end_turn()
        for stop in ("bronx", "staten_island"):
            table.power("ride", 0)
            assert table.asked == "ride@0"
            table.choose(stop)
            assert table.place(0) == stop
            assert table.asked == "roll@0"
        table.power("ride", 0).choose("stay")
        assert table.place(0) == "staten_island"
        table.order("AH").roll("AHHHHH")
        assert table.asked == "flee@1"
        table.power("ride", 0).choose("brooklyn")
        assert table.asked == "flee@1"
        table.choose("stay")
        assert table.asked == "move@0"
        assert table.end_turn().asked == "roll@1"

    @pytest.mark.clause("NY-14.4")
    def test_to_boroughs_with_room_only(self) -> None:
        table = self.bought(players=4, at=("brooklyn", "lower_2_4", "queens", "queens")).end_turn()
        table.power("ride", 0)
        assert table.open == ["staten_island", "bronx", "stay"]

    def test_not_for_others(self) -> None:
        table = self.bought().end_turn()
        assert table.offered(1) == table.offered(2) == []

    @pytest.mark.clause("NY-13.10")
    def test_out_of_manhattan_and_the_next_to_move_must_enter(self) -> None:
        table = Scene(
            at=("lower_2_4", "bronx", "queens"),
            energy={0: 9},
            shop=("subway", "fury", "stomp"),
        ).begin()
        table.roll("HHHHHH").buy("subway").show("diva").end_turn()
        assert table.place(0) == "midtown_2_4"
        table.roll("HHHHHH")
        assert table.asked == "buy@0"
        table.power("ride", 0).choose("brooklyn")
        assert table.place(0) == "brooklyn"
        table.end_turn().since()
        table.roll("AAAAAA")
        assert table.since() == {1: {"stars": 1, "place": "lower_2_4"}}

    @pytest.mark.clause("NY-13.10")
    @pytest.mark.clause("NY-8.3")
    def test_before_its_own_move_phase_it_must_enter_again_itself(self) -> None:
        table = Scene(
            at=("lower_2_4", "bronx", "queens"),
            energy={0: 9},
            shop=("subway", "fury", "stomp"),
        ).begin()
        table.roll("HHHHHH").buy("subway").show("diva").end_turn()
        table.since()
        table.power("ride", 0).choose("brooklyn")
        table.order("AH").roll("AAHHHH")
        assert table.since() == {0: {"stars": 1, "place": "lower_2_4"}}  # its claws hit nobody

    def test_the_toll_of_the_marathon_is_paid(self) -> None:
        table = self.bought(energy={0: 13}, shop=("subway", "new_york_marathon", "fury"))
        table.end_turn().since()
        table.power("ride", 0).choose("bronx")
        assert table.since() == {0: {"energy": -2, "place": "bronx"}}
        assert table.offered(0) == []  # 1 energy is left

    def test_death_takes_the_extra_turn_along(self) -> None:
        table = self.bought(energy={0: 12})
        assert table.game.extra
        hurt = card_hurts(table, (0, 10))
        assert hurt.game.extra == ()
        assert hurt.asked == "roll@1"

    @pytest.mark.clause("NY-13.4")
    def test_an_extra_turn_in_manhattan_has_its_income(self) -> None:
        table = Scene(
            at=("lower_2_4", "bronx", "queens"),
            energy={0: 10},
            shop=("subway", "fury", "stomp"),
        ).begin()
        table.roll("HHHHHH").buy("subway").since()
        table.show("diva").end_turn()
        assert table.since() == {0: {"stars": 2, "energy": 1}}

    @pytest.mark.clause("NY-17.2")
    def test_a_winner_is_found_before_the_extra_turn(self) -> None:
        table = self.bought(stars={0: 20})
        assert table.end_turn().game.ended == Ended("stars", (Seat(0),))


# -- meetings -------------------------------------------------------------------------------------


class TestMeetings:
    def test_chameleon_and_carapace(self) -> None:
        """A die turned to OUCH before the groups is part of the final roll."""
        table = Scene(cards={0: ("carapace", "chameleon")}, units={"brooklyn": (INFANTRY,)}).begin()
        table.order("OCH").roll("CHHHHH")
        table.power("give_up_fame", 0).choose("die_1").choose("ouch")
        assert table.card("carapace").counters == 1
        assert table.since() == {0: {"health": 2}}  # 10 − 1 by the Unit + 4 hearts, up to 12
        assert table.asked == "move@0"

    def test_carapace_heals_above_ten_after_ouch(self) -> None:
        table = Scene(cards={0: ("carapace",)}, health={0: 12}, units={"brooklyn": (TANK,)})
        game = table.begin().order("OH").roll("OHHHHH")
        assert game.since() == {}
        assert game.health(0) == 12

    def test_webspinner_and_curse_on_one_monster_ask_one_after_the_other(self) -> None:
        table = Scene(tokens={0: {Token.WEB: 1, Token.CURSE: 1}}, health={0: 5}).begin()
        table.order("AH").roll("AAHHHH")
        assert table.asked == "use_on_tokens@0"
        table.choose("use_1")
        assert table.asked == "flee@1"
        table.choose("stay")
        assert table.asked == "use_on_tokens@0"
        table.choose("use_1")
        assert table.tokens(0) == {}
        assert table.since() == {0: {"health": 3}, 1: {"health": -1}}
        assert table.asked == "move@0"

    def test_fleeing_with_the_marathon_then_the_subway_of_the_attacker(self) -> None:
        table = Scene(energy={0: 14, 1: 2}, shop=("new_york_marathon", "subway", "fury")).begin()
        table.roll("HHHHHH").choose("stay").buy("subway").show("diva").end_turn()
        table.since()
        claws(table, 1).choose("flee_bronx")
        assert table.since() == {
            0: {"stars": 1, "place": "lower_2_4"},
            1: {"health": -1, "energy": -2, "place": "bronx"},
        }
        table.power("ride", 0).choose("queens")  # after its move phase: Manhattan stays empty
        assert table.since() == {0: {"energy": -2, "place": "queens"}}
        table.end_turn()
        assert table.game.turn.inside_at_start == 0

    def test_faces_of_spent_dice_do_not_come_back(self) -> None:
        table = Scene(cards={0: ("chameleon",)}).begin().roll("CCHHHH")
        table.power("give_up_fame", 0).choose("die_2").choose("celebrity").choose("go")
        assert Position.of(table.game).count(Face.CELEBRITY) == 2

"""Eight cards of King of New York in depth: each works, does not work just outside its condition,
and meets other cards.
"""

from __future__ import annotations

import pytest

from companion.engine.effects.cards import DropCard
from companion.engine.effects.numbers import GiveTokens
from companion.engine.events import Chosen
from companion.engine.questions import Choice
from companion.engine.registry import RULESETS
from companion.engine.values import Seat, Token, UnitKind
from tests.engine.cards.scenes import resolve
from tests.engine.tables import NEW_YORK, Scene, Table, after

INFANTRY, JET, TANK = UnitKind.INFANTRY, UnitKind.JET, UnitKind.TANK
MANHATTAN_INCOME = {"stars": 1, "energy": 1}


def shopping(**scene: object) -> Table:
    """Seat 0, which rolled hearts and stayed, is asked what it buys."""
    table = Scene(**scene).begin().roll("HHHHHH")  # type: ignore[arg-type]
    if table.asked == "move@0":
        table.choose("stay")
    table.since()
    return table


class TestCarapace:
    @pytest.mark.clause("NY-15.6", "NY-9.1")
    @pytest.mark.parametrize(("before", "gain"), [(10, 2), (5, 6), (11, 1), (12, 0)])
    def test_its_owner_heals_up_to_twelve(self, before: int, gain: int) -> None:
        table = Scene(cards={0: ("carapace",)}, health={0: before}).begin().roll("HHHHHH")
        assert table.since() == ({0: {"health": gain}} if gain else {})

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

    def test_and_may_let_itself_die(self) -> None:
        table = Scene(cards={1: ("carapace",)}, counters={"carapace": 3}, health={1: 2}).begin()
        resolve(table, "AA")
        assert table.asked == "shed_at_last@1"
        table.choose("pass")
        assert table.since() == {
            0: {"stars": 1, "place": "lower_2_4"},
            1: {"health": -2, "alive": False},
        }

    @pytest.mark.clause("TK-16.1")
    def test_losing_it_above_ten_trims(self) -> None:
        table = Scene(cards={0: ("carapace",)}, health={0: 12}).begin()
        card = table.card("carapace")
        lost = after(table.game, DropCard(Seat(0), card.id, card.name))
        assert lost.since() == {0: {"health": -2}}


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

    def test_not_before_the_last_roll_nor_in_anothers_turn(self) -> None:
        table = Scene(cards={0: ("chameleon",), 2: ("diva",)}).begin().roll("CCHHHH", final=False)
        assert table.offered(0) == []
        others = Scene(cards={2: ("chameleon",)}).begin().order("CH").roll("CCHHHH")
        assert others.offered(2) == []
        assert others.asked == "move@0"


class TestWebspinner:
    def test_each_monster_its_owner_damages_gets_a_web(self) -> None:
        table = Scene(
            players=4, at=("lower_2_4", "bronx", "queens", "queens"), cards={0: ("webspinner",)}
        ).begin()
        table.since()
        resolve(table, "AA")
        assert [table.tokens(seat) for seat in range(4)] == [{}, *[{"web": 1}] * 3]
        assert table.since() == {
            0: {"place": "midtown_2_4"},
            1: {"health": -2},
            2: {"health": -2},
            3: {"health": -2},
        }
        assert table.game.turn.rolls_left == 2  # seat 1 rolls now, with a reroll less

    def test_all_claws_on_webs_are_no_attack_and_end_the_group(self) -> None:
        table = resolve(Scene(tokens={0: {Token.WEB: 5}}).begin(), "AA")
        assert table.open == ["use_0", "use_1", "use_2"]
        table.choose("use_2")
        assert table.tokens(0) == {"web": 3}
        assert table.since() == {}
        assert table.asked == "move@0"


class TestCurse:
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

    def test_both_cards_give_both_tokens(self) -> None:
        table = resolve(Scene(cards={0: ("curse", "webspinner")}).begin(), "AA")
        assert table.tokens(1) == {"curse": 1, "web": 1}
        given = [(e.seat, e.token) for e in table.happened(GiveTokens)]
        assert given == [(1, Token.CURSE), (1, Token.WEB)]


class TestShadowDouble:
    @pytest.mark.clause("NY-8.5")
    def test_damage_of_its_owners_attack_is_doubled(self) -> None:
        table = resolve(Scene(cards={0: ("shadow_double",)}).begin(), "AAA")
        assert table.since() == {1: {"health": -6}}
        asked = table.question
        assert isinstance(asked, Choice)
        assert ("amount", 6) in asked.about


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

    @pytest.mark.clause("NY-15.9", "NY-15.7", "NY-13.11")
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

    def test_with_webspinner_everybody_it_wounds_gets_a_web(self) -> None:
        table = self.after_destroying(TANK, cards={0: ("webspinner",)}).buy("general_ellis")
        assert [table.tokens(seat) for seat in range(3)] == [{}, {"web": 1}, {"web": 1}]

    @pytest.mark.clause("NY-15.9")
    @pytest.mark.parametrize("unit", [INFANTRY, JET])
    def test_not_after_another_unit(self, unit: UnitKind) -> None:
        table = self.after_destroying(unit)
        ellis = f"buy_{table.card('general_ellis').id}"
        assert table.options[ellis] == "forbidden"
        assert table.refuses(Chosen(Seat(0), ellis)) == "barred_forbidden"


class TestNewYorkMarathon:
    SHOP = ("new_york_marathon", "fury", "stomp")

    @pytest.mark.parametrize("energy", [0, 1])
    def test_who_cannot_pay_stays_unasked(self, energy: int) -> None:
        table = Scene(energy={0: energy}, shop=self.SHOP).begin().roll("HHHHHH")
        assert table.asked == "roll@1"

    def test_who_cannot_pay_cannot_flee(self) -> None:
        table = resolve(Scene(energy={1: 1}, shop=self.SHOP).begin(), "A")
        assert table.asked == "roll@1"
        assert table.since() == {1: {"health": -1, **MANHATTAN_INCOME}}


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

    @pytest.mark.clause("NY-14.4")
    def test_to_boroughs_with_room_only(self) -> None:
        table = self.bought(players=4, at=("brooklyn", "lower_2_4", "queens", "queens")).end_turn()
        table.power("ride", 0)
        assert table.open == ["staten_island", "bronx", "stay"]


class TestMeetings:
    def test_chameleon_and_carapace(self) -> None:
        """A die turned to OUCH before the groups is part of the final roll."""
        table = Scene(cards={0: ("carapace", "chameleon")}, units={"brooklyn": (INFANTRY,)}).begin()
        table.order("OCH").roll("CHHHHH")
        table.power("give_up_fame", 0).choose("die_1").choose("ouch")
        assert table.card("carapace").counters == 1
        assert table.since() == {0: {"health": 2}}  # 10 − 1 by the Unit + 4 hearts, up to 12
        assert table.asked == "move@0"

"""King of Tokyo's Discard cards, and its cards about cards: prices, peeking, selling, the news."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.engine.effects.numbers import Damage
from companion.engine.events import UNNAMED, CardShown, Chosen, PowerUsed
from companion.engine.questions import Choice, Reveal
from companion.engine.values import Ended, Seat
from tests.engine.cards.scenes import next_roll, resolve
from tests.engine.cards.tokyo_tables import (
    BAY,
    BOTH_IN,
    CITY,
    FOUND,
    NOBODY_IN,
    NOTHING,
    OUT,
    scene,
    shopping,
)
from tests.engine.tables import Table

# -- what only concerns the buyer ----------------------------------------------------------------

GAINS = [
    ("apartment_building", 5, {"stars": 3}),
    ("commuter_train", 4, {"stars": 2}),
    ("corner_store", 3, {"stars": 1}),
    ("energize", 8, {"energy": 9}),
    ("heal", 3, {"health": 2}),
    ("jet_fighters", 5, {"stars": 5, "health": -4}),
    ("national_guard", 3, {"stars": 2, "health": -2}),
    ("nuclear_power_plant", 6, {"stars": 2, "health": 3}),
    ("skyscraper", 6, {"stars": 4}),
    ("tanks", 4, {"stars": 4, "health": -3}),
]


def bought_by(seat: int, name: str, price: int) -> Table:
    """That Monster, wounded, buys the card in its turn with not one energy too many."""
    shop = (name, "nova_breath", "frenzy")
    table = scene(active=seat, energy={seat: price}, health={seat: 5}, shop=shop)
    table.roll("112233").order("123")
    assert table.asked == f"buy@{seat}"
    table.since()
    return table.buy(name).show(FOUND)


class TestGains:
    @pytest.mark.clause("TK-8.2", "TK-12.1", "TK-12.2", "TK-12.3")
    @pytest.mark.parametrize("seat", [1, 2], ids=["in the City", "outside"])
    @pytest.mark.parametrize(("name", "price", "gain"), GAINS, ids=[name for name, *_ in GAINS])
    def test_the_buyer_alone_gets_what_it_says_once(
        self, name: str, price: int, gain: dict[str, int], seat: int
    ) -> None:
        table = bought_by(seat, name, price)
        energy = gain.get("energy", 0) - price
        assert table.since() == {seat: gain | {"energy": energy}}
        assert table.cards(seat) == []
        assert table.game.discards == (name,)
        assert FOUND in table.shop()
        next_roll(table, (seat + 1) % 3)


class TestFireBlast:
    @pytest.mark.clause("TK-7.6")
    def test_every_other_monster_takes_two(self) -> None:
        table = shopping("fire_blast", players=5, at=BOTH_IN).buy("fire_blast").show(FOUND)
        hurt = {seat: {"health": -2} for seat in (1, 2, 3, 4)}
        assert table.since() == {0: {"energy": -3}} | hurt
        next_roll(table)


class TestGasRefinery:
    @pytest.mark.clause("TK-7.6", "TK-10.3")
    def test_two_stars_three_damage_to_all_others_and_nobody_yields(self) -> None:
        table = shopping("gas_refinery").buy("gas_refinery").show(FOUND)
        assert table.since() == {
            0: {"energy": -6, "stars": 2},
            1: {"health": -3},
            2: {"health": -3},
        }
        assert table.asked == "buy@0"
        next_roll(table)

    @pytest.mark.clause("TK-13.2", "TK-14.1")
    def test_all_others_at_once_and_the_buyer_is_the_last_alive(self) -> None:
        table = shopping("gas_refinery", health={1: 3, 2: 1}).buy("gas_refinery")
        assert [e.seat for e in table.happened(Damage)] == [1, 2]
        table.show(FOUND)
        assert table.game.ended == Ended("survival", (Seat(0),))


class TestHighAltitudeBombing:
    def test_everybody_takes_three_the_buyer_too(self) -> None:
        table = shopping("high_altitude_bombing").buy("high_altitude_bombing").show(FOUND)
        assert table.since() == {
            0: {"energy": -4, "health": -3},
            1: {"health": -3},
            2: {"health": -3},
        }
        next_roll(table)


class TestEvacuationOrders:
    def test_every_other_monster_loses_five_stars_down_to_none(self) -> None:
        stars = {0: 7, 1: 9, 2: 3}
        table = shopping("evacuation_orders", stars=stars).buy("evacuation_orders")
        table.show(FOUND)
        assert table.since() == {0: {"energy": -7}, 1: {"stars": -5}, 2: {"stars": -3}}
        next_roll(table)


class TestVastStorm:
    @pytest.mark.parametrize(("energy", "lost"), [(0, 0), (1, 0), (2, 1), (3, 1), (7, 3), (8, 4)])
    def test_two_stars_and_half_of_the_others_energy_rounded_down(
        self, energy: int, lost: int
    ) -> None:
        table = shopping("vast_storm", energy={0: 9, 1: energy}).buy("vast_storm").show(FOUND)
        others = {1: {"energy": -lost}} if lost else {}
        assert table.since() == {0: {"energy": -6, "stars": 2}} | others
        next_roll(table)


class TestDropFromHighAltitude:
    NAME = "drop_from_high_altitude"

    @pytest.mark.clause("TK-9.2")
    def test_an_empty_tokyo_too(self) -> None:
        table = shopping(self.NAME, at=NOBODY_IN).buy(self.NAME).show(FOUND)
        assert table.since() == {0: {"energy": -5, "stars": 3, "place": CITY}}
        next_roll(table)

    @pytest.mark.clause("TK-16.7")
    @pytest.mark.parametrize("place", [CITY, BAY])
    def test_who_is_in_tokyo_already_gets_two_stars_alone(self, place: str) -> None:
        other = BAY if place == CITY else CITY
        table = shopping(self.NAME, players=5, at=(place, other, OUT, OUT, OUT))
        table.buy(self.NAME).show(FOUND)
        assert table.since() == {0: {"energy": -5, "stars": 2}}
        next_roll(table)

    @pytest.mark.clause("TK-16.7")
    def test_the_bay_stays_as_it_is(self) -> None:
        table = shopping(self.NAME, players=5, at=BOTH_IN).buy(self.NAME).show(FOUND)
        assert table.since() == {
            0: {"energy": -5, "stars": 3, "place": CITY},
            1: {"place": OUT},
        }
        assert table.place(2) == BAY
        next_roll(table)

    def test_being_thrown_out_is_no_yielding_so_no_tunnel_is_left(self) -> None:
        table = shopping(self.NAME, cards=((1, "burrowing"),)).buy(self.NAME).show(FOUND)
        assert table.health(0) == 10


class TestFrenzy:
    @pytest.mark.clause("TK-16.22")
    def test_the_turn_is_finished_and_then_comes_another(self) -> None:
        table = shopping("frenzy", cards=((0, "solar_powered"),), energy={0: 7})
        table.buy("frenzy").show(FOUND)
        assert table.since() == {0: {"energy": -7 + 1}}  # the sun shines at the end of the first
        number = table.game.turn.number
        assert table.asked == "roll@0"
        assert number == 5
        table.roll("HHHHHH")
        next_roll(table)


def take(table: Table, name: str) -> Table:
    """Seat 0 buys that card from whoever has it."""
    table.power("buy_from_others", 0)
    return table.choose(f"take_{table.card(name).id}")


def sell(table: Table, name: str) -> Table:
    """Whoever is asked sells that card."""
    return table.choose(f"sell_{table.card(name).id}")


class TestAlienMetabolism:
    @pytest.mark.clause("TK-16.12")
    def test_cards_of_others_cost_less_too_and_that_is_what_they_get(self) -> None:
        cards = ((0, "alien_metabolism"), (0, "parasitic_tentacles"), (2, "jets"))
        table = take(shopping(cards=cards, energy={0: 6}), "jets")
        assert table.since() == {0: {"energy": -4}, 2: {"energy": 4}}
        next_roll(table)


class TestParasiticTentacles:
    CARDS = ((0, "parasitic_tentacles"), (1, "spiked_tail"), (2, "jets"))

    @pytest.mark.clause("TK-16.8")
    def test_keep_cards_of_others_for_the_price_which_they_get(self) -> None:
        table = shopping(cards=self.CARDS)
        assert table.offered(0) == ["buy_from_others"]
        table.power("buy_from_others", 0)
        jets, tail = table.card("jets").id, table.card("spiked_tail").id
        assert set(table.open) == {f"take_{jets}", f"take_{tail}", "pass"}
        table.choose(f"take_{tail}")
        assert table.since() == {0: {"energy": -5}, 1: {"energy": 5}}
        assert table.cards(0) == ["parasitic_tentacles", "spiked_tail"]
        assert table.cards(1) == []
        next_roll(table)
        assert resolve(table, "A").since()[0]["health"] == -1  # the tail has gone from seat 1

    @pytest.mark.parametrize("energy", [2, 4])
    def test_not_for_less_than_the_price(self, energy: int) -> None:
        table = shopping(cards=self.CARDS, energy={0: energy})
        assert table.offered(0) == []

    @pytest.mark.clause("TK-16.8")
    def test_only_in_its_owners_own_buying_phase(self) -> None:
        rolling = scene(*self.CARDS, energy={0: 9})
        assert rolling.offered(0) == []
        tentacles = rolling.card("parasitic_tentacles").id
        refused = PowerUsed(Seat(0), f"card.{tentacles}/buy_from_others")
        assert rolling.refuses(refused) == "no_such_offer"
        anothers = scene(*self.CARDS, energy={0: 9, 1: 9}, active=1)
        resolve(anothers, NOTHING)
        assert anothers.asked == "buy@1"
        assert anothers.offered(0) == []

    @pytest.mark.clause("TK-16.9")
    def test_a_mimic_is_bought_with_its_token(self) -> None:
        cards = ((0, "parasitic_tentacles"), (1, "mimic"), (2, "spiked_tail"))
        table = take(shopping(cards=cards, copies={"mimic": "spiked_tail"}), "mimic")
        assert table.card("mimic").copies == table.card("spiked_tail").id
        next_roll(table)


class TestMadeInALab:
    @staticmethod
    def peeked(name: str, *more: tuple[int, str], energy: int = 9) -> Table:
        """Seat 0 has looked at the next card of the deck."""
        table = shopping(cards=((0, "made_in_a_lab"), *more), energy={0: energy, 2: 9})
        assert table.offered(0) == ["peek"]
        table.power("peek", 0)
        assert table.asked == "peek@0"
        return table.show(name)

    def test_the_next_card_may_be_bought_unseen_by_others(self) -> None:
        table = self.peeked("jets")
        assert table.asked == "buy_peeked@0"
        shop = table.shop()
        table.choose("buy")
        assert table.since() == {0: {"energy": -5}}
        assert table.cards(0) == ["made_in_a_lab", "jets"]
        assert table.shop() == shop
        assert table.asked == "buy@0"
        next_roll(table)

    def test_or_left_on_the_deck(self) -> None:
        table = self.peeked("jets").choose("pass")
        assert table.since() == {}
        assert "jets" in table.game.deck
        assert table.offered(0) == []  # once a turn
        next_roll(table)

    @pytest.mark.clause("TK-16.26", "H40")
    def test_what_is_asked_is_its_owners_alone(self) -> None:
        table = self.peeked("jets")
        assert isinstance(table.question, Choice)
        assert table.question.secret
        table = shopping(cards=((0, "made_in_a_lab"),))
        table.power("peek", 0)
        assert isinstance(table.question, Reveal)
        assert table.question.secret

    @pytest.mark.clause("H40")
    def test_it_may_keep_the_name_to_itself_and_leave_the_card(self) -> None:
        table = self.peeked(UNNAMED)
        assert (table.asked, table.options) == ("peeked@0", {"pass": ""})
        assert table.choose("pass").since() == {}
        next_roll(table)

    def test_only_a_card_that_one_alone_looks_at_may_stay_unnamed(self) -> None:
        table = shopping("heal", energy={0: 3}).buy("heal")
        assert table.refuses(CardShown(UNNAMED)) == "cannot_turn_up"

    def test_what_is_too_dear_can_only_be_left(self) -> None:
        table = self.peeked("jets", energy=4)
        assert table.options == {"buy": "short", "pass": ""}
        assert table.refuses(Chosen(Seat(0), "buy")) == "barred_short"

    def test_nobody_peeks_where_no_card_is_left(self) -> None:
        table = shopping(cards=((0, "made_in_a_lab"),))
        table.game = replace(table.game, deck=(), discards=(), put_off=True)
        assert table.offered(0) == []

    def test_only_in_its_owners_own_buying_phase(self) -> None:
        assert scene((0, "made_in_a_lab"), energy={0: 9}).offered(0) == []
        table = resolve(scene((2, "made_in_a_lab"), energy={0: 9, 2: 9}), NOTHING)
        assert table.asked == "buy@0"
        assert table.offered(2) == []

    def test_with_alien_metabolism_and_the_news(self) -> None:
        more = ((0, "alien_metabolism"), (0, "dedicated_news_team"))
        assert self.peeked("jets", *more).choose("buy").since() == {0: {"energy": -4, "stars": 1}}


class TestMetamorph:
    def warned(self, table: Table) -> list[str]:
        """The cards whose sale is warned of."""
        asked = table.question
        assert isinstance(asked, Choice)
        names = {card.id: card.name for card in table.game.in_play.cards}
        return [
            names[option.card]
            for option in asked.options
            if option.card is not None and option.warning == "sell_last"
        ]

    @pytest.mark.clause("H35")
    def test_it_warns_of_being_sold_before_the_others(self) -> None:
        table = scene((0, "metamorph"), (0, "jets"), (0, "wings"), at=NOBODY_IN)
        resolve(table, NOTHING)
        assert self.warned(table) == ["metamorph"]
        sell(table, "wings")
        assert self.warned(table) == ["metamorph"]
        sell(table, "jets")
        assert self.warned(table) == []  # nothing else is left to be sold

    @pytest.mark.clause("H35", "TK-16.9")
    def test_so_does_a_mimic_that_copies_it(self) -> None:
        cards = ((0, "mimic"), (0, "jets"), (2, "metamorph"))
        table = resolve(scene(*cards, copies={"mimic": "metamorph"}, at=NOBODY_IN), NOTHING)
        assert self.warned(table) == ["mimic"]
        sell(table, "mimic")
        assert table.asked == "roll@1"

    @pytest.mark.clause("H35")
    def test_and_of_the_original_a_copy_sells_by(self) -> None:
        cards = ((0, "metamorph"), (0, "mimic"), (0, "jets"))
        table = resolve(scene(*cards, copies={"mimic": "metamorph"}, at=NOBODY_IN), NOTHING)
        assert self.warned(table) == ["metamorph"]
        table.choose("pass")
        assert self.warned(table) == ["metamorph", "mimic"]
        sell(table, "metamorph")
        assert table.asked == "roll@1"

    @pytest.mark.clause("TK-16.5")
    def test_after_the_buying_and_at_the_full_price_of_what_was_cheaper(self) -> None:
        mine = ((0, "metamorph"), (0, "alien_metabolism"))
        table = shopping("jets", cards=mine, energy={0: 4}, at=NOBODY_IN).buy("jets").show(FOUND)
        assert table.asked == "sell@0"  # no energy is left to buy for
        sell(table, "jets").choose("pass")
        assert table.since() == {0: {"energy": -4 + 5}}
        assert table.asked == "roll@1"  # what it got cannot be spent this turn

    @pytest.mark.clause("TK-16.9")
    def test_selling_what_a_mimic_copies_gives_the_token_back(self) -> None:
        cards = ((0, "metamorph"), (0, "jets"), (2, "mimic"))
        table = resolve(scene(*cards, copies={"mimic": "jets"}, at=NOBODY_IN), NOTHING)
        sell(table, "jets").choose("pass")
        assert table.card("mimic").copies is None
        assert table.asked == "roll@1"


class TestDedicatedNewsTeam:
    def test_a_star_for_each_card_bought(self) -> None:
        table = shopping("heal", "jets", cards=((0, "dedicated_news_team"),))
        table.buy("heal").show(FOUND).buy("jets").show("wings")
        assert table.stars(0) == 2
        assert table.energy(0) == 1

    def test_not_for_itself(self) -> None:
        table = shopping("dedicated_news_team").buy("dedicated_news_team").show(FOUND)
        assert table.since() == {0: {"energy": -3}}
        next_roll(table)

    def test_for_one_bought_from_another_too(self) -> None:
        cards = ((0, "dedicated_news_team"), (0, "parasitic_tentacles"), (1, "jets"))
        table = take(shopping(cards=cards), "jets")
        assert table.since() == {0: {"energy": -5, "stars": 1}, 1: {"energy": 5}}

    def test_not_for_a_sweep_nor_for_what_others_buy(self) -> None:
        table = shopping("heal", cards=((0, "dedicated_news_team"),)).choose("sweep")
        table.show("jets", "wings", "gourmet")
        assert table.since() == {0: {"energy": -2}}
        other = shopping("heal", cards=((2, "dedicated_news_team"),)).buy("heal").show(FOUND)
        assert other.since() == {0: {"energy": -3}}


class TestEndsTogether:
    """What several cards do at the end of one turn."""

    @pytest.mark.clause("TK-G1")
    @pytest.mark.parametrize(
        "mine", [("metamorph", "energy_hoarder", "wings"), ("wings", "energy_hoarder", "metamorph")]
    )
    @pytest.mark.parametrize(("first", "stars"), [("metamorph", 1), ("energy_hoarder", 0)])
    def test_their_owner_says_whether_sold_cards_feed_the_hoard(
        self, mine: tuple[str, ...], first: str, stars: int
    ) -> None:
        table = resolve(scene(*((0, name) for name in mine), at=NOBODY_IN), NOTHING)
        assert table.asked == "which_first@0"
        sell(table.first(first), "wings").choose("pass")
        assert table.since() == {0: {"energy": 6} | ({"stars": 1} if stars else {})}
        assert table.asked == "roll@1"

    @pytest.mark.clause("TK-G1")
    @pytest.mark.parametrize(
        ("first", "stars"), [("rooting_for_the_underdog", 2), ("herbivore", 1)]
    )
    def test_who_would_no_longer_be_last_may_be_cheered_first(self, first: str, stars: int) -> None:
        mine = ((0, "herbivore"), (0, "rooting_for_the_underdog"))
        table = resolve(scene(*mine, stars={1: 1, 2: 1}, at=NOBODY_IN), NOTHING)
        assert table.asked == "which_first@0"
        table.first(first)
        assert table.since() == {0: {"stars": stars}}
        assert table.asked == "roll@1"

    @pytest.mark.clause("TK-G1")
    def test_nothing_is_asked_where_the_order_makes_no_difference(self) -> None:
        mine = ((0, "herbivore"), (0, "energy_hoarder"), (0, "solar_powered"))
        table = resolve(scene(*mine, stars={0: 18}, energy={0: 7}, at=NOBODY_IN), NOTHING)
        assert table.asked == "buy@0"
        table.choose("end")
        assert table.game.ended == Ended("stars", (Seat(0),))

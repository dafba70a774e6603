"""King of Tokyo's cards about cards: prices, buying from others, peeking, selling, and the news."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.engine.events import Chosen, PowerUsed
from companion.engine.questions import Choice
from companion.engine.values import Ended, Seat
from tests.engine.cards.tokyo_tables import (
    FOUND,
    NOBODY_IN,
    next_roll,
    resolve,
    scene,
    shopping,
)
from tests.engine.tables import Table

NOTHING = "112233"


def take(table: Table, name: str) -> Table:
    """Seat 0 buys that card from whoever has it."""
    table.power("buy_from_others", 0)
    return table.choose(f"take_{table.card(name).id}")


def sell(table: Table, name: str) -> Table:
    """Whoever is asked sells that card."""
    return table.choose(f"sell_{table.card(name).id}")


class TestAlienMetabolism:
    def test_cards_cost_one_less(self) -> None:
        table = shopping("heal", cards=((0, "alien_metabolism"),), energy={0: 2})
        assert table.buy("heal").show(FOUND).since()[0] == {"energy": -2}
        assert table.cards(0) == ["alien_metabolism"]

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

    def test_it_may_be_thought_better_of(self) -> None:
        table = shopping(cards=self.CARDS).power("buy_from_others", 0).choose("pass")
        assert table.since() == {}
        next_roll(table)

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

    def test_a_discard_card_works_at_once(self) -> None:
        table = self.peeked("heal").choose("buy")
        assert table.game.discards == ("heal",)
        assert table.cards(0) == ["made_in_a_lab"]

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

    @pytest.mark.clause("TK-16.3")
    def test_an_opportunist_does_not_see_it(self) -> None:
        table = self.peeked("jets", (2, "opportunist"))
        assert table.asked == "buy_peeked@0"
        table.choose("pass")
        assert table.asked == "buy@0"
        bought = self.peeked("jets", (2, "opportunist")).choose("buy")
        assert bought.asked == "buy@0"

    def test_with_alien_metabolism_and_the_news(self) -> None:
        more = ((0, "alien_metabolism"), (0, "dedicated_news_team"))
        assert self.peeked("jets", *more).choose("buy").since() == {0: {"energy": -4, "stars": 1}}


class TestMetamorph:
    @pytest.mark.clause("TK-16.5")
    def test_keep_cards_are_sold_for_their_printed_cost(self) -> None:
        table = scene((0, "metamorph"), (0, "jets"), (0, "wings"), at=NOBODY_IN)
        resolve(table, NOTHING)
        assert table.asked == "sell@0"
        sell(table, "wings")
        assert table.asked == "sell@0"
        sell(table, "jets").choose("pass")
        assert table.since() == {0: {"energy": 6 + 5}}
        assert table.game.discards == ("jets", "wings")
        assert table.asked == "roll@1"

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

    def test_not_in_turns_of_others_nor_their_cards(self) -> None:
        table = resolve(scene((1, "metamorph"), at=NOBODY_IN), NOTHING)
        assert table.asked == "roll@1"
        mine = resolve(scene((0, "metamorph"), (1, "jets"), at=NOBODY_IN), NOTHING)
        assert mine.open == [f"sell_{mine.card('metamorph').id}", "pass"]

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

    @pytest.mark.clause("TK-16.9")
    def test_a_copy_of_a_card_is_not_bought(self) -> None:
        cards = ((0, "dedicated_news_team"), (2, "jets"))
        table = shopping("mimic", cards=cards).buy("mimic")
        assert table.since() == {0: {"energy": -8, "stars": 1}}
        table.choose(f"copy_{table.card('jets').id}").show(FOUND)
        assert table.since() == {1: {"stars": 2}}  # the next turn has begun


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

    def test_all_kinds_of_ends_in_one_turn(self) -> None:
        mine = ("herbivore", "solar_powered", "rooting_for_the_underdog", "energy_hoarder")
        table = scene(*((0, name) for name in mine), stars={1: 5, 2: 5}, at=NOBODY_IN)
        resolve(table, NOTHING)
        assert table.since() == {0: {"stars": 2, "energy": 1}}
        assert table.asked == "roll@1"

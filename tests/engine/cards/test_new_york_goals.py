"""Cards of King of New York about Superstar, and their meetings."""

from __future__ import annotations

import pytest

from companion.engine.values import TABLE
from tests.engine.cards.scenes import holding, next_roll, resolve
from tests.engine.tables import Table


def fame(table: Table, count: int) -> Table:
    """Seat 0 resolves so many CELEBRITY and nothing else of note."""
    table.since()
    return resolve(table, "C" * count)


def star(table: Table) -> int:
    """Who holds Superstar."""
    return table.card("superstar").owner


# -- Broadway Star, Ego Trip ----------------------------------------------------------------------


@pytest.mark.parametrize(("card", "what"), [("broadway_star", "stars"), ("ego_trip", "energy")])
class TestStardom:
    @staticmethod
    def plus(what: str, stars: int) -> dict[str, int]:
        return {"stars": stars + 1} if what == "stars" else {"stars": stars, "energy": 1}

    @pytest.mark.clause("NY-11.2")
    @pytest.mark.parametrize("count", [3, 4])
    def test_one_more_on_taking_superstar(self, card: str, what: str, count: int) -> None:
        table = fame(holding((0, card)), count)
        assert table.since() == {0: self.plus(what, count - 2)}
        assert star(table) == 0
        next_roll(table)

    def test_from_another_too(self, card: str, what: str) -> None:
        table = fame(holding((0, card), goals={"superstar": 1}), 3)
        assert table.since() == {0: self.plus(what, 1)}
        next_roll(table)

    def test_one_at_the_start_of_its_turns_while_it_shines(self, card: str, what: str) -> None:
        table = holding((0, card), goals={"superstar": 0})
        assert table.since() == {0: {what: 1}}
        next_roll(resolve(table, ""))

    @pytest.mark.parametrize("holder", [TABLE, 1])
    def test_none_while_it_does_not(self, card: str, what: str, holder: int) -> None:
        table = holding((0, card), goals={"superstar": holder})
        assert table.since() == {}

    def test_none_for_the_statue(self, card: str, what: str) -> None:
        table = resolve(holding((0, card)), "OOO")
        assert table.since() == {0: {"stars": 3}}
        next_roll(table)


def test_broadway_star_and_ego_trip_together() -> None:
    table = fame(holding((0, "broadway_star"), (0, "ego_trip")), 3)
    assert table.since() == {0: {"stars": 2, "energy": 1}}
    next_roll(table)


# -- Diva -----------------------------------------------------------------------------------------


class TestDiva:
    def test_from_a_diva_it_takes_four(self) -> None:
        table = fame(holding((1, "diva"), goals={"superstar": 1}), 3)
        assert table.since() == {}
        assert star(table) == 1
        next_roll(table)

    @pytest.mark.clause("NY-11.2")
    @pytest.mark.parametrize(("count", "stars"), [(4, 2), (5, 3), (6, 4)])
    def test_and_the_score_still_counts_from_the_third(self, count: int, stars: int) -> None:
        table = fame(holding((1, "diva"), goals={"superstar": 1}), count)
        assert table.since() == {0: {"stars": stars}}
        assert star(table) == 0
        next_roll(table)

    @pytest.mark.parametrize("holder", [TABLE, 2])
    def test_a_diva_that_does_not_shine_is_no_hindrance(self, holder: int) -> None:
        table = fame(holding((1, "diva"), goals={"superstar": holder}), 3)
        assert table.since() == {0: {"stars": 1}}
        next_roll(table)

    def test_the_diva_itself_needs_three(self) -> None:
        table = fame(holding((0, "diva"), goals={"superstar": 1}), 3)
        assert table.since() == {0: {"stars": 1}}
        next_roll(table)

    @pytest.mark.clause("NY-11.3")
    def test_a_shining_diva_scores_each_celebrity(self) -> None:
        table = fame(holding((0, "diva"), goals={"superstar": 0}), 2)
        assert table.since() == {0: {"stars": 2}}
        next_roll(table)


# -- Violent Star ---------------------------------------------------------------------------------


class TestViolentStar:
    def test_two_damage_to_whom_it_is_taken_from(self) -> None:
        table = fame(holding((0, "violent_star"), goals={"superstar": 2}), 3)
        assert table.since() == {0: {"stars": 1}, 2: {"health": -2}}
        next_roll(table)  # no attack: seat 2, in Manhattan, was not asked to flee

    def test_one_damage_seen_before_anything_heals(self) -> None:
        table = fame(holding((1, "violent_star"), goals={"superstar": 1}), 6)
        assert table.since() == {0: {"stars": 4, "health": -1}}
        next_roll(table)

    def test_from_the_table_it_hurts_nobody(self) -> None:
        table = fame(holding((0, "violent_star")), 6)
        assert table.since() == {0: {"stars": 4}}
        next_roll(table)

    def test_nor_when_it_passes_between_others(self) -> None:
        table = fame(holding((2, "violent_star"), goals={"superstar": 1}), 6)
        assert table.since() == {0: {"stars": 4}}
        next_roll(table)

    def test_nor_for_the_statue(self) -> None:
        table = resolve(holding((0, "violent_star"), goals={"statue_of_liberty": 1}), "OOO")
        assert table.since() == {0: {"stars": 3}}

    @pytest.mark.clause("NY-16.2")
    def test_who_dies_of_taking_it_scores_nothing_and_it_lies_by_the_deck(self) -> None:
        table = fame(holding((1, "violent_star"), goals={"superstar": 1}, health={0: 1}), 6)
        assert table.since() == {0: {"health": -1, "alive": False}}
        assert star(table) == TABLE
        assert table.asked == "roll@1"

    def test_a_diva_is_hurt_only_if_it_loses_superstar(self) -> None:
        table = fame(holding((0, "violent_star"), (1, "diva"), goals={"superstar": 1}), 3)
        assert table.since() == {}
        next_roll(table)
        table = fame(holding((0, "violent_star"), (1, "diva"), goals={"superstar": 1}), 4)
        assert table.since() == {0: {"stars": 2}, 1: {"health": -2}}
        next_roll(table)

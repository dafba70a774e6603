"""Setting up a game (NY-2, TK-2)."""

from __future__ import annotations

from collections import Counter

import pytest

from companion.engine import RULESETS, IllegalEvent, Setup, check, new_game
from companion.engine.questions import Reveal
from companion.engine.values import TABLE, Seat, UnitKind
from tests.engine.tables import NEW_YORK, TOKYO, Table

BOTH = pytest.mark.parametrize("game", [NEW_YORK, TOKYO])


def opened(game: str, players: int = 3, first: int = 0) -> Table:
    return Table(new_game(Setup(game, players, Seat(first))).game)


@BOTH
@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.clause("NY-2.3", "TK-2.1", "NY-1.3", "TK-1.5")
def test_everybody_starts_with_ten_health_and_nothing_else(game: str, players: int) -> None:
    table = opened(game, players)
    assert len(table.game.monsters) == players
    for monster in table.game.monsters:
        assert (monster.health, monster.stars, monster.energy) == (10, 0, 0)
    assert check(table.game) == ()


@pytest.mark.clause("NY-2.6", "NY-2.7")
def test_monsters_are_placed_clockwise_from_the_first_two_in_a_borough_none_in_manhattan() -> None:
    table = opened(NEW_YORK, players=4, first=2)
    assert table.asked == "place@2"
    assert table.open == ["staten_island", "bronx", "queens", "brooklyn"]
    table.choose("queens").choose("queens")
    assert table.asked == "place@0"
    assert table.options["queens"] == "full"
    table.choose("bronx").choose("bronx")
    assert [table.place(seat) for seat in range(4)] == ["bronx", "bronx", "queens", "queens"]
    assert table.asked == "card@2"


@pytest.mark.clause("TK-2.1")
def test_in_tokyo_everybody_is_outside_without_a_question() -> None:
    table = opened(TOKYO, players=6, first=5)
    assert [table.place(seat) for seat in range(6)] == ["outside"] * 6
    assert table.asked == "card@5"


@BOTH
@pytest.mark.clause("NY-2.1", "TK-2.3")
def test_three_cards_are_named_then_the_first_player_rolls(game: str) -> None:
    table = opened(game, players=2, first=1)
    while table.asked.startswith("place"):
        table.choose(table.open[0])
    names = table.game.deck[:3]
    for slot, name in enumerate(names):
        asked = table.question
        assert isinstance(asked, Reveal)
        assert asked.slot == slot
        assert set(asked.names) == set(table.game.deck)
        table.show(name)
    assert table.shop() == list(names)
    assert table.asked == "roll@1"
    assert not set(names) & set(table.game.deck)
    assert table.game.turn.number == 1


@pytest.mark.clause("NY-2.1")
def test_goal_cards_lie_beside_the_deck_and_are_not_in_it() -> None:
    game = opened(NEW_YORK).game
    assert [(c.name, c.owner) for c in game.in_play.cards] == [
        ("superstar", TABLE),
        ("statue_of_liberty", TABLE),
    ]
    assert len(game.deck) == 64
    assert not {"superstar", "statue_of_liberty"} & set(game.deck)


@pytest.mark.clause("NY-2.4", "NY-3.6")
def test_fifteen_unknown_stacks_of_three_in_five_boroughs() -> None:
    game = opened(NEW_YORK).game
    assert [b.area for b in game.boroughs] == [
        "staten_island",
        "bronx",
        "queens",
        "brooklyn",
        "manhattan",
    ]
    assert all(len(b.stacks) == 3 and not b.units for b in game.boroughs)
    assert all((s.top, s.left) == (None, 3) for b in game.boroughs for s in b.stacks)
    assert Counter(game.tile_pool) == {
        "skyscraper_1": 22,
        "skyscraper_2": 8,
        "skyscraper_3": 3,
        "power_plant_2": 3,
        "power_plant_3": 3,
        "hospital_2": 3,
        "hospital_3": 3,
    }
    assert Counter(RULESETS[NEW_YORK].tiles[tile].unit for tile in game.tile_pool) == {
        UnitKind.INFANTRY: 22,
        UnitKind.JET: 14,
        UnitKind.TANK: 9,
    }


@pytest.mark.clause("NY-2.5", "NY-2.2", "TK-2.4")
def test_dice_of_the_first_player_roll_and_of_a_turn() -> None:
    new_york, tokyo = RULESETS[NEW_YORK], RULESETS[TOKYO]
    assert (new_york.first_roll_dice, new_york.dice, new_york.dice_max) == (8, 6, 8)
    assert (tokyo.first_roll_dice, tokyo.dice, tokyo.dice_max) == (6, 6, 8)


@BOTH
@pytest.mark.clause("NY-2.1", "TK-2.3")
def test_naming_the_cards_may_be_put_off_to_the_first_purchase(game: str) -> None:
    table = opened(game, players=2)
    while table.asked.startswith("place"):
        table.choose(table.open[0])
    names = table.game.deck
    table.show(names[0]).put_off()
    assert table.shop() == [names[0], None, None]
    assert table.asked == "roll@0"
    table.roll("EEEEEE")
    if table.asked == "move@0":
        table.choose("stay")
    assert table.asked == "buy@0"
    assert "name_cards" in table.open
    table.choose("name_cards").show(names[1], names[2])
    assert table.shop() == list(names[:3])
    assert "name_cards" not in table.options
    assert table.asked == "buy@0"


@BOTH
def test_a_purchase_may_leave_its_slot_unnamed_until_somebody_needs_it(game: str) -> None:
    table = opened(game, players=2)
    while table.asked.startswith("place"):
        table.choose(table.open[0])
    table.show("fire_blast" if game == TOKYO else "long_neck", *table.game.deck[-2:])
    table.roll("EEEEEE")
    if table.asked == "move@0":
        table.choose("stay")
    table.buy("fire_blast" if game == TOKYO else "long_neck").put_off()
    assert table.shop()[0] is None
    assert table.asked == "buy@0"
    table.choose("sweep")
    assert table.asked == "card@0"  # a sweep shows three cards, put off or not


@BOTH
@pytest.mark.parametrize(
    ("setup", "key"),
    [
        (Setup("chess", 3), "unknown_game"),
        (Setup("", 3, edition="1812"), "unknown_edition"),
        (Setup("", 1), "player_count"),
        (Setup("", 7), "player_count"),
        (Setup("", 3, Seat(3)), "no_such_seat"),
        (Setup("", 3, Seat(-1)), "no_such_seat"),
    ],
)
def test_a_game_that_cannot_be_is_not_begun(game: str, setup: Setup, key: str) -> None:
    wanted = Setup(setup.game or game, setup.players, setup.first, setup.edition)
    with pytest.raises(IllegalEvent) as refused:
        new_game(wanted)
    assert refused.value.key == key

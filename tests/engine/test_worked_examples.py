"""The rulebooks' own examples, played as events; every number of every Monster is asserted."""

from __future__ import annotations

import pytest

from companion.engine import RULESETS
from companion.engine.values import CardKind, UnitKind
from tests.engine.tables import NEW_YORK, TOKYO, Scene


@pytest.mark.clause("NY-EX1", "NY-15.1", "NY-15.2")
def test_kong_sweeps_then_buys_and_keeps_the_rest() -> None:
    kong = Scene(
        NEW_YORK, energy={0: 10}, shop=("towering_titan", "holland_tunnel", "drink_the_hudson")
    ).begin()
    kong.roll("HHHHHH").choose("stay")
    assert kong.asked == "buy@0"
    kong.since()
    kong.choose("sweep").show("long_neck", "fury", "diva")
    assert kong.since() == {0: {"energy": -2}}
    assert kong.asked == "buy@0"
    kong.buy("long_neck")
    assert kong.asked == "card@0"
    assert kong.shop() == [None, "fury", "diva"]
    kong.show("stomp")
    assert kong.since() == {0: {"energy": -3}}
    assert kong.energy(0) == 5
    assert kong.cards(0) == ["long_neck"]
    assert kong.shop() == ["stomp", "fury", "diva"]
    assert sorted(kong.game.discards) == ["drink_the_hudson", "holland_tunnel", "towering_titan"]
    kong.choose("end")
    assert kong.asked == "roll@1"
    assert kong.since() == {
        1: {"stars": 1, "energy": 1}
    }  # who holds Manhattan begins the next turn


@pytest.mark.clause("NY-EX2", "NY-10.2", "NY-10.4", "NY-10.7", "NY-10.8", "NY-10.3")
def test_captain_fish_smashes_two_skyscrapers_in_queens() -> None:
    fish = Scene(
        NEW_YORK,
        at=("queens", "lower_2_4", "bronx"),
        tops={"queens": ("hospital_2", "skyscraper_2", "skyscraper_1")},
    ).begin()
    fish.roll("DDDDCC")
    fish.choose("destruction")
    assert fish.asked == "destroy@0"
    assert fish.open == ["stack_6", "stack_7", "stack_8"]
    fish.smash("skyscraper_1")
    assert fish.asked == "tile@0"
    fish.tile("skyscraper_2")
    fish.smash("skyscraper_2").tile("hospital_3")
    assert fish.since() == {0: {"stars": 3}}
    assert fish.tops("queens") == ["hospital_2", "hospital_3", "skyscraper_2"]
    assert sorted(fish.units("queens")) == ["infantry", "jet"]
    assert fish.asked == "move@0"  # 1 DESTRUCTION is left and lost, two CELEBRITY give nothing
    fish.end_turn()
    assert fish.since() == {1: {"stars": 1, "energy": 1}}
    assert fish.asked == "roll@1"


@pytest.mark.clause("NY-EX3", "NY-8.1", "NY-10.4", "NY-10.5", "NY-10.6")
@pytest.mark.clause("NY-11.1", "NY-12.1", "NY-12.5", "NY-14.2")
def test_a_whole_turn_of_captain_fish() -> None:
    fish = Scene(
        NEW_YORK,
        at=("brooklyn", "lower_2_4", "brooklyn"),
        health={0: 8},
        tops={"brooklyn": ("skyscraper_1", "power_plant_3", "hospital_3")},
        units={"brooklyn": (UnitKind.INFANTRY,)},
    ).begin()
    fish.order("DOAC").roll("DDDOAC")
    fish.smash("skyscraper_1").tile("skyscraper_2")
    assert fish.open == ["stack_9", f"unit_{fish.borough('brooklyn').units[0].id}"]
    assert fish.since() == {0: {"stars": 1}}
    fish.smash("infantry")
    assert fish.asked == "flee@1"  # Ouch! came before the claws
    assert fish.units("brooklyn") == ["infantry"]  # the new one; the old one left the board
    assert fish.since() == {1: {"health": -1}}  # +1 health from the Unit, −1 from the new one
    fish.choose("stay")
    assert fish.asked == "move@0"
    assert fish.game.in_play.cards[0].owner == -1  # one CELEBRITY takes no Superstar
    fish.end_turn()
    assert fish.health(0) == 8
    assert fish.since() == {1: {"stars": 1, "energy": 1}}
    assert fish.asked == "roll@1"


@pytest.mark.clause("NY-EX3", "NY-8.1")
def test_in_manhattan_the_same_claw_hits_everybody_outside() -> None:
    fish = Scene(NEW_YORK, players=4, at=("lower_2_4", "queens", "brooklyn", "bronx")).begin()
    assert fish.since() == {0: {"stars": 1, "energy": 1}}
    fish.order("AC").roll("ACHHHH")
    assert fish.since() == {
        0: {"place": "midtown_2_4"},
        1: {"health": -1},
        2: {"health": -1},
        3: {"health": -1},
    }
    assert fish.asked == "roll@1"


@pytest.mark.clause("NY-EX4", "NY-13.2", "NY-14.1", "NY-18.4", "NY-18.5")
def test_each_climbs_its_own_track_of_manhattan() -> None:
    game = Scene(
        NEW_YORK,
        players=5,
        at=("brooklyn", "queens", "bronx", "bronx", "queens"),
    ).begin()
    game.roll("DCCHHH").choose("destruction").tile("skyscraper_2", "skyscraper_2", "hospital_2")
    game.order("HC")
    assert game.since() == {0: {"stars": 1, "place": "lower_2_4"}}
    game.roll("HHHHHH")
    assert game.since() == {1: {"stars": 1, "place": "lower_5_6"}}
    for seat in (2, 3, 4):  # the city is full: they may move, and stay
        assert game.asked == f"roll@{seat}"
        game.roll("HHHHHH").end_turn()
    assert game.since() == {0: {"stars": 1, "energy": 1}}  # income of Lower before advancing
    game.roll("HHHHHH")
    assert game.since() == {
        0: {"place": "midtown_2_4"},
        1: {"stars": 1, "energy": 1},  # the next turn's income
    }
    game.roll("HHHHHH")
    assert game.since() == {1: {"place": "midtown_5_6"}}
    assert game.asked == "roll@2"


@pytest.mark.clause("NY-EX5")
def test_the_sample_cards_of_the_booklet() -> None:
    cards = RULESETS[NEW_YORK].cards
    assert (cards["chameleon"].kind, cards["chameleon"].cost) == (CardKind.KEEP, 4)
    assert (cards["tesla_cannon"].kind, cards["tesla_cannon"].cost) == (CardKind.DISCARD, 5)


@pytest.mark.clause("TK-EX1", "TK-4.1", "TK-5.1", "TK-5.2", "TK-6.1", "TK-7.1")
def test_gigazaur_outside_tokyo() -> None:
    gigazaur = Scene(TOKYO).begin()
    gigazaur.roll("1233HE", final=False)
    assert gigazaur.asked == "roll@0"
    gigazaur.roll("223321", rethrown=(0, 1, 4, 5), final=False)
    assert gigazaur.asked == "roll@0"
    gigazaur.roll("22EA22", rethrown=(2, 3, 5), final=False)  # the third roll is the last
    assert gigazaur.asked == "group@0"
    gigazaur.order("2EA")
    assert gigazaur.asked == "flee@1"
    assert gigazaur.since() == {0: {"stars": 3, "energy": 1}, 1: {"health": -1}}
    gigazaur.choose("stay")
    assert gigazaur.asked == "roll@1"
    assert gigazaur.since() == {1: {"stars": 2}}


@pytest.mark.clause("TK-EX1", "TK-7.1", "TK-9.7")
def test_gigazaur_in_tokyo_hurts_all_the_others() -> None:
    gigazaur = Scene(TOKYO, players=4, at=("tokyo_city", "outside", "outside", "outside")).begin()
    assert gigazaur.since() == {0: {"stars": 2}}
    gigazaur.order("2EA").roll("2222EA")
    assert gigazaur.since() == {
        0: {"stars": 3, "energy": 1},
        1: {"health": -1},
        2: {"health": -1},
        3: {"health": -1},
    }
    assert gigazaur.asked == "roll@1"


@pytest.mark.clause("TK-EX2", "TK-12.1")
def test_kraken_sweeps_and_buys() -> None:
    kraken = Scene(TOKYO, energy={0: 10}).begin()
    kraken.roll("11223H")
    kraken.order("123H")
    assert kraken.asked == "buy@0"
    kraken.choose("sweep").show("corner_store", "tanks", "heal")
    assert kraken.since() == {0: {"energy": -2}}
    kraken.buy("corner_store").show("skyscraper")
    assert kraken.since() == {0: {"energy": -3, "stars": 1}}
    assert kraken.energy(0) == 5
    assert kraken.shop() == ["skyscraper", "tanks", "heal"]
    kraken.choose("end")
    assert kraken.asked == "roll@1"
    assert kraken.since() == {1: {"stars": 2}}


MEKA, GIGA, BUNNY, KING, KRAKEN = range(5)


@pytest.mark.clause("TK-EX3", "TK-1.4", "TK-7.3", "TK-9.1", "TK-9.3")
@pytest.mark.clause("TK-11.1", "TK-11.2", "TK-11.3", "TK-11.4", "TK-11.7")
def test_five_players_around_tokyo() -> None:
    game = Scene(
        TOKYO,
        players=5,
        at=("outside", "tokyo_city", "outside", "outside", "tokyo_bay"),
        health={GIGA: 8},
    ).begin()
    game.order("A12").roll("AAAA12")
    assert game.asked == f"flee@{GIGA}"  # the City first, then the Bay
    game.choose("flee_outside")
    assert game.asked == f"flee@{KRAKEN}"
    game.choose("flee_outside")
    assert game.since() == {
        MEKA: {"stars": 1, "place": "tokyo_city"},
        GIGA: {"health": -4, "place": "outside"},
        KRAKEN: {"health": -4, "place": "outside"},
    }
    assert game.asked == f"roll@{GIGA}"
    game.order("A12").roll("A11223")
    assert game.asked == f"flee@{MEKA}"  # nobody is in the Bay
    game.choose("stay")
    assert game.since() == {
        MEKA: {"health": -1},
        GIGA: {"stars": 1, "place": "tokyo_bay"},
    }
    assert game.asked == f"roll@{BUNNY}"
    game.order("A123").roll("A11223")
    assert game.asked == f"flee@{MEKA}"
    game.choose("stay")
    assert game.asked == f"flee@{GIGA}"
    game.choose("flee_outside")
    assert game.since() == {
        MEKA: {"health": -1},
        GIGA: {"health": -1, "place": "outside"},
        BUNNY: {"stars": 1, "place": "tokyo_bay"},
    }
    for quiet in (KING, KRAKEN):
        assert game.asked == f"roll@{quiet}"
        game.order("123").roll("112233")
    assert game.since() == {MEKA: {"stars": 2}}  # income at the start of its turn in Tokyo
    assert game.health(GIGA) == 3
    game.order("A123").roll("AAA112")
    assert game.since() == {
        GIGA: {"health": -3, "alive": False},
        KING: {"health": -3},
        KRAKEN: {"health": -3},
        BUNNY: {"place": "outside"},  # four are left: the Bay leaves the game
    }
    assert game.place(MEKA) == "tokyo_city"
    assert game.asked == f"roll@{BUNNY}"


@pytest.mark.clause("TK-EX3", "TK-11.3")
def test_had_the_first_left_the_second_would_have_the_city_and_the_bay_be_empty() -> None:
    game = Scene(
        TOKYO,
        players=5,
        active=GIGA,
        at=("tokyo_city", "outside", "outside", "outside", "outside"),
    ).begin()
    game.order("A123").roll("A11223").choose("flee_outside")
    assert game.since() == {
        MEKA: {"health": -1, "place": "outside"},
        GIGA: {"stars": 1, "place": "tokyo_city"},
    }
    assert game.asked == f"roll@{BUNNY}"


@pytest.mark.clause("TK-EX4", "TK-7.2")
def test_the_first_claw_takes_an_empty_tokyo_and_hurts_nobody() -> None:
    game = Scene(TOKYO, at=("outside",) * 3).begin()
    game.order("123").roll("112233")
    assert game.since() == {}
    assert game.asked == "roll@1"
    game.order("A123").roll("A11223")
    assert game.since() == {1: {"stars": 1, "place": "tokyo_city"}}
    assert game.asked == "roll@2"

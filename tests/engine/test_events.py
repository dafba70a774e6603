"""Which events are allowed when, which are refused, and numbers and places set by hand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.engine import IllegalEvent, Position, Setup, new_game
from companion.engine.effects.numbers import Damage
from companion.engine.events import (
    AnyEvent,
    CardShown,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Moved,
    OrderChosen,
    PowerUsed,
    PutOff,
    TileShown,
)
from companion.engine.values import Ended, Number, Seat
from tests.engine.tables import NEW_YORK, TOKYO, Scene, Table, dice

BOTH = pytest.mark.parametrize("game", [NEW_YORK, TOKYO])

ROLLED = DiceRolled(dice("HHHHHH"), final=True)


@BOTH
@pytest.mark.parametrize(
    ("event", "key"),
    [
        (Chosen(Seat(0), "end"), "not_asked"),
        (CardShown("chameleon"), "not_asked"),
        (TileShown("skyscraper_1"), "not_asked"),
        (PutOff(), "not_asked"),
        (PowerUsed(Seat(0), "card.1/fly"), "no_such_offer"),
        (OrderChosen(Seat(1), dice("EA")), "not_your_turn"),
        (OrderChosen(Seat(0), dice("EE")), "face_twice"),
        (CardShown("chameleon", slot=0), "already_named"),
        (CardShown("chameleon", slot=3), "already_named"),
        (CardShown("chameleon", slot=-1), "already_named"),
        (CardShown(None, slot=0), "already_named"),
        (TileShown("skyscraper_1", stack=99), "already_named"),
        (TileShown("skyscraper_1", stack=-1), "already_named"),
    ],
)
def test_while_a_roll_is_asked(game: str, event: AnyEvent, key: str) -> None:
    table = Scene(game).begin()
    assert table.refuses(event) == key
    assert table.asked == "roll@0"


def test_while_a_choice_is_asked() -> None:
    table = Scene().begin().roll("HHHHHH")
    assert table.asked == "move@0"
    assert table.refuses(ROLLED) == "not_asked"
    assert table.refuses(Chosen(Seat(1), "stay")) == "not_your_choice"
    assert table.refuses(Chosen(Seat(0), "move_atlantis")) == "no_such_option"


def test_a_card_that_is_too_dear_is_refused_and_says_what_is_lacking() -> None:
    table = Scene(energy={0: 4}).begin().roll("HHHHHH").choose("stay")
    dear = table.card("holland_tunnel")
    with pytest.raises(IllegalEvent) as refused:
        Position.of(table.game).apply(Chosen(Seat(0), f"buy_{dear.id}"))
    assert (refused.value.key, refused.value.params) == ("barred_short", {"lacking": 5})


def test_while_a_card_is_asked_for() -> None:
    table = Scene(energy={0: 9}).begin().roll("HHHHHH").choose("stay").choose("sweep")
    assert table.asked == "card@0"
    assert table.refuses(CardShown("superstar")) == "cannot_turn_up"
    assert table.refuses(CardShown("mimic")) == "cannot_turn_up"
    assert table.refuses(CardShown("towering_titan")) == "cannot_turn_up"  # just discarded
    assert table.refuses(TileShown("skyscraper_1")) == "not_asked"
    assert table.refuses(Chosen(Seat(0), "end")) == "not_asked"


def test_while_a_tile_is_asked_for() -> None:
    table = Scene().begin().roll("DDDDDD")
    assert table.asked == "tile@0"
    assert table.refuses(TileShown("infantry")) == "cannot_turn_up"
    assert table.refuses(TileShown("skyscraper_9")) == "cannot_turn_up"
    assert table.refuses(CardShown("chameleon")) == "not_asked"
    assert table.refuses(PutOff()) == "not_asked"
    table.tile("skyscraper_3", "skyscraper_3", "skyscraper_3")
    three = Scene(tops={"queens": ("skyscraper_3",) * 3}).begin().roll("DDDDDD")
    assert three.refuses(TileShown("skyscraper_3")) == "cannot_turn_up"  # the box holds three


def test_where_nothing_is_asked_nothing_is_answered() -> None:
    table = Scene().begin()
    table.game = replace(table.game, agenda=())  # no game comes to such a position by itself
    assert table.refuses(Chosen(Seat(0), "end")) == "nothing_asked"


# -- named at any time ----------------------------------------------------------------------------


def test_an_unnamed_card_may_be_named_at_any_time() -> None:
    table = Scene(shop=("towering_titan", None, None)).begin()
    table.apply(CardShown("chameleon", slot=2))
    assert table.shop() == ["towering_titan", None, "chameleon"]
    assert table.asked == "roll@0"
    assert table.refuses(CardShown("chameleon", slot=1)) == "cannot_turn_up"
    assert table.refuses(CardShown("diva", slot=2)) == "already_named"
    table.order("AH").roll("AHHHHH")
    assert table.asked == "flee@1"
    table.apply(CardShown("diva", slot=1))
    assert table.asked == "flee@1"
    assert table.shop() == ["towering_titan", "diva", "chameleon"]


def test_a_slot_may_be_named_while_another_is_asked_for() -> None:
    table = Scene(energy={0: 9}).begin().roll("HHHHHH").choose("stay").choose("sweep")
    table.apply(CardShown("diva", slot=2))
    assert table.asked == "card@0"
    table.show("chameleon", "hunter")
    assert table.shop() == ["chameleon", "hunter", "diva"]
    assert table.asked == "buy@0"


@pytest.mark.clause("NY-10.4")
def test_an_unnamed_building_may_be_named_at_any_time() -> None:
    table = Scene().begin()
    table.apply(TileShown("skyscraper_3", stack=11)).apply(TileShown("power_plant_2", stack=0))
    assert table.tops("brooklyn") == [None, None, "skyscraper_3"]
    assert table.asked == "roll@0"
    assert table.refuses(TileShown("skyscraper_1", stack=11)) == "already_named"
    assert table.refuses(TileShown("tank", stack=10)) == "cannot_turn_up"
    table.roll("DDDDDD")
    table.apply(TileShown("hospital_2", stack=10))
    assert table.asked == "tile@0"  # still stack 9
    table.tile("hospital_3")
    assert table.asked == "destroy@0"


def test_a_stack_may_be_gone() -> None:
    table = Scene().begin().apply(TileShown(None, stack=9))
    assert table.refuses(TileShown("skyscraper_1", stack=9)) == "already_named"
    table.roll("DDDDDD").tile(None).tile("skyscraper_3")
    assert table.units("brooklyn") == ["tank"]
    assert [s.left for s in table.borough("brooklyn").stacks] == [0, 0, 2]
    assert table.asked == "tile@0"


# -- legal events ---------------------------------------------------------------------------------


def test_legal_events_of_a_choice_are_its_open_options() -> None:
    table = Scene(players=4, at=("brooklyn", "upper_2_4", "queens", "queens")).begin()
    table.roll("HHHHHH")
    assert Position.of(table.game).legal_events() == (
        Chosen(Seat(0), "stay"),
        Chosen(Seat(0), "move_staten_island"),
        Chosen(Seat(0), "move_bronx"),
    )


def test_of_a_roll_nothing_is_listed_but_powers() -> None:
    table = Scene(TOKYO, cards={0: ("mimic",), 1: ("jets",)}, energy={0: 5}).begin()
    mimic = table.card("mimic").id
    ref = f"card.{mimic}/pay_to_copy_another"
    assert Position.of(table.game).legal_events() == (PowerUsed(Seat(0), ref),)
    assert table.refuses(PowerUsed(Seat(1), ref)) == "no_such_offer"
    assert table.refuses(PowerUsed(Seat(0), f"card.{mimic}/copy_a_card")) == "no_such_offer"


def test_what_a_power_asks_is_answered_before_it_is_used_again() -> None:
    """Else its questions could lie one on the other without end."""
    table = Scene(NEW_YORK, under={0: "subway"}).begin()
    refs = [offer.ref for offer in Position.of(table.game).offers()]
    table.power("ride", 0)
    assert table.asked == "ride@0"
    assert table.offered(0) == []
    assert table.refuses(PowerUsed(Seat(0), refs[0])) == "no_such_offer"
    table.choose("stay")
    assert (table.asked, table.offered(0)) == ("roll@0", ["ride"])


def number(seat: int, what: Number, value: int) -> Corrected:
    return Corrected((Correction(Seat(seat), what, value),))


def moved(*places: tuple[int, str]) -> Corrected:
    return Corrected(places=tuple(Moved(Seat(seat), place) for seat, place in places))


@BOTH
@pytest.mark.parametrize(
    ("what", "value", "change"),
    [
        (Number.HEALTH, 1, -9),
        (Number.STARS, 20, 20),
        (Number.STARS, 1, 1),
        (Number.ENERGY, 99, 99),
        (Number.ENERGY, 0, 0),
    ],
)
def test_a_number_is_set_and_the_question_stays(
    game: str, what: Number, value: int, change: int
) -> None:
    table = Scene(game).begin().correct(2, what, value)
    assert table.since() == ({2: {what.value: change}} if change else {})
    assert table.asked == "roll@0"


@BOTH
@pytest.mark.parametrize(
    ("event", "key"),
    [
        (number(0, Number.HEALTH, 11), "out_of_range"),
        (number(0, Number.HEALTH, -1), "out_of_range"),
        (number(0, Number.STARS, 21), "out_of_range"),
        (number(0, Number.STARS, -1), "out_of_range"),
        (number(0, Number.ENERGY, -1), "out_of_range"),
        (number(0, Number.ENERGY, 100), "out_of_range"),
        (number(3, Number.HEALTH, 5), "no_such_seat"),
        (number(-1, Number.HEALTH, 5), "no_such_seat"),
        (moved((0, "atlantis")), "no_such_place"),
        (moved((7, "brooklyn")), "no_such_seat"),
    ],
)
def test_what_no_dial_can_show_is_refused(game: str, event: Corrected, key: str) -> None:
    assert Scene(game).begin().refuses(event) == key


def test_of_several_corrections_one_bad_one_refuses_all() -> None:
    bad = Corrected(
        (Correction(Seat(0), Number.STARS, 3), Correction(Seat(0), Number.HEALTH, 99)),
        (Moved(Seat(2), "bronx"),),
    )
    assert Scene().begin().refuses(bad) == "out_of_range"


def test_the_dead_are_not_corrected() -> None:
    table = Scene(health={1: 1}).begin().order("AH").roll("AHHHHH")
    assert table.refuses(number(1, Number.HEALTH, 5)) == "out_of_the_game"
    assert table.refuses(moved((1, "bronx"))) == "out_of_the_game"


# -- health 0 -------------------------------------------------------------------------------------


@pytest.mark.clause("NY-16.1", "TK-13.1")
@BOTH
def test_health_corrected_to_nothing_eliminates(game: str) -> None:
    table = Scene(game, energy={2: 3}).begin().correct(2, Number.HEALTH, 0)
    assert table.since() == {2: {"health": -10, "energy": -3, "alive": False}}
    assert table.asked == "roll@0"


@BOTH
def test_the_active_monster_corrected_to_nothing_ends_its_turn(game: str) -> None:
    table = Scene(game).begin().correct(0, Number.HEALTH, 0)
    assert not table.game.monsters[0].alive
    assert table.asked == "roll@1"


@BOTH
def test_the_next_to_last_corrected_to_nothing_ends_the_game(game: str) -> None:
    table = Scene(game, players=2).begin().correct(1, Number.HEALTH, 0)
    table.roll("HHHHHH")
    assert table.game.ended == Ended("survival", (Seat(0),))


@pytest.mark.clause("NY-18.8")
def test_five_to_four_by_a_correction_makes_room_too() -> None:
    at = ("brooklyn", "midtown_2_4", "lower_5_6", "queens", "bronx")
    table = Scene(players=5, at=at).begin().correct(4, Number.HEALTH, 0)
    assert table.asked == "leave@2"
    table.choose("bronx")
    assert table.asked == "roll@0"


def test_a_question_that_no_longer_makes_sense_vanishes() -> None:
    """Energy set to 0 while the shop is open; the fleeing Monster moved by hand."""
    shopping = Scene(energy={0: 9}).begin().roll("HHHHHH").choose("stay")
    assert shopping.asked == "buy@0"
    assert shopping.correct(0, Number.ENERGY, 0).asked == "roll@1"
    fleeing = Scene().begin().order("AH").roll("AHHHHH")
    assert fleeing.asked == "flee@1"
    fleeing.put(1, "bronx")
    assert fleeing.place(0) == "lower_2_4"
    assert fleeing.asked == "roll@1"


def test_a_monster_that_is_gone_before_the_start_is_not_placed() -> None:
    table = Table(new_game(Setup(NEW_YORK, 3)).game).correct(0, Number.HEALTH, 0)
    assert table.asked == "place@1"
    table.choose("bronx").choose("bronx")
    assert table.asked.startswith("card")


# -- places ---------------------------------------------------------------------------------------


@pytest.mark.clause("NY-14.4")
def test_a_borough_holds_two_even_by_hand() -> None:
    table = Scene(players=4, at=("brooklyn", "lower_2_4", "queens", "queens")).begin()
    assert table.refuses(moved((0, "queens"))) == "barred_full"
    table.put(0, "bronx")
    assert table.since() == {0: {"place": "bronx"}}
    assert table.put(0, "bronx").since() == {}


@pytest.mark.clause("NY-13.1", "NY-18.5")
def test_a_track_of_manhattan_holds_one_even_by_hand() -> None:
    table = Scene(players=5).begin()
    assert table.refuses(moved((0, "upper_2_4"))) == "barred_full"  # seat 1 is in Lower
    table.put(0, "upper_5_6")
    assert table.since() == {0: {"place": "upper_5_6"}}
    table.put(1, "midtown_2_4")  # along its own track
    assert table.since() == {1: {"place": "midtown_2_4"}}


@pytest.mark.clause("NY-13.1", "TK-11.1")
def test_a_space_for_five_is_not_used_by_four() -> None:
    assert Scene(players=4).begin().refuses(moved((0, "lower_5_6"))) == "barred_full"
    assert Scene(TOKYO, players=4).begin().refuses(moved((0, "tokyo_bay"))) == "barred_full"


def test_two_monsters_change_places_in_one_correction() -> None:
    for order in ((0, 1), (1, 0)):
        table = Scene(TOKYO).begin()
        to = {0: "tokyo_city", 1: "outside"}
        table.apply(moved(*((seat, to[seat]) for seat in order)))
        assert table.since() == {seat: {"place": place} for seat, place in to.items()}
        assert table.asked == "roll@0"


# -- in the middle of a packet --------------------------------------------------------------------


def test_who_is_gone_while_the_packet_waits_for_its_dice_is_asked_no_more() -> None:
    cards = {0: ("antimatter_pellets",)}
    table = Scene(players=4, at=("lower_2_4", "bronx", "queens", "queens"), cards=cards).begin()
    table.order("AH").roll("AHHHHH")
    assert table.asked == "pellets@1"
    table.correct(1, Number.HEALTH, 0)
    assert table.asked == "pellets@2"
    table.roll("H")
    table.since()
    table.correct(2, Number.HEALTH, 0)  # readied already, and out before it happens
    assert table.asked == "pellets@3"
    table.roll("O")
    hurt = [(e.seat, e.amount) for e in table.happened(Damage) if isinstance(e, Damage)]
    assert hurt == [(3, 2)]


@pytest.mark.parametrize("gone", [0, 2])
def test_a_die_is_not_thrown_again_for_or_by_who_is_gone(gone: int) -> None:
    table = Scene(TOKYO, cards={2: ("psychic_probe",)}).begin().order("1AH").roll("111AHH")
    table.power("make_it_reroll", 2).choose("die_0")
    assert table.asked == "rethrow@2"
    table.correct(gone, Number.HEALTH, 0)
    assert table.asked == ("roll@1" if gone == 0 else "flee@1")

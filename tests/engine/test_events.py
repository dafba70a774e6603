"""Which events are allowed when, and which are refused: an illegal event changes nothing."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.engine import IllegalEvent, Position
from companion.engine.events import (
    AnyEvent,
    CardShown,
    Chosen,
    DiceRolled,
    OrderChosen,
    PowerUsed,
    PutOff,
    TileShown,
)
from companion.engine.values import Seat
from tests.engine.tables import NEW_YORK, TOKYO, Scene, dice

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

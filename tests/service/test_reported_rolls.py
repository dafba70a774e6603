"""The view of a roll whose throws have a price, and of one that a card asks for."""

from __future__ import annotations

from companion.engine import Change, Number, Position, Roll, Seat, Token
from companion.service import wire
from companion.service.views.preview import preview_answer
from companion.service.views.questions import question_view
from companion.table import State
from tests.engine.tables import TOKYO, Scene, Table, dice


def open_question(table: Table) -> wire.Question:
    """The open question as a phone gets it."""
    question = table.question
    assert isinstance(question, Roll)
    state = State(game=table.game)
    view = question_view(Position.of(table.game), state, anyone=True)
    assert view is not None
    return view


def test_a_roll_reported_throw_by_throw_carries_its_prices_and_its_end() -> None:
    table = Scene(tokens={0: {Token.CURSE: 1}}, energy={0: 3}).begin()
    first = open_question(table)
    assert (first.main, first.counted, first.left, first.more) == (True, True, 3, True)
    assert (first.showing, first.prices) == ((), ())
    then = open_question(table.roll("OHHAAE", final=False))
    assert (then.showing, then.prices) == (dice("OHHAAE"), (1, 0, 0, 0, 0, 0))
    answer = preview_answer(Position.of(table.game), dice("HHAAE"), (), (0,))
    assert answer.changes == (Change(Seat(0), Number.ENERGY, 3, 2),)
    assert {row.key for row in answer.rows} >= {"preview.energy"}


def test_a_roll_that_a_card_asks_for_has_no_groups() -> None:
    places = ("outside", "tokyo_city", "outside")
    table = Scene(TOKYO, cards={1: ("camouflage",)}, at=places).begin()
    table.order("AH").roll("AAHHHH")
    assert (open_question(table).main, open_question(table).counted, open_question(table).seat) == (
        False,
        False,
        1,
    )
    answer = preview_answer(Position.of(table.game), dice("HE"))
    assert (answer.rows, answer.order) == ((), ())
    assert answer.changes == (Change(Seat(1), Number.HEALTH, 10, 9),)

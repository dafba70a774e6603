"""A question with one answer is not asked: the table gives it, in the log and undone by name."""

from __future__ import annotations

from pathlib import Path

from companion.engine import Choice, Chosen, Seat
from companion.service.views.logbook import entry_words
from companion.table import Undone, undoable
from tests.browser.evening import Evening

WARES = ("monster_batteries", "corner_store", "wings")


def batteries_bought(folder: Path, energy: int) -> Evening:
    """Ana has bought Monster Batteries; the card in its place is not named yet."""
    evening = Evening(folder, "tokyo").seats().begin(cards=WARES).numbers(0, 8, 3, energy)
    return evening.roll("6 heal").buy("monster_batteries")


def chosen(evening: Evening) -> list[str]:
    snapshot = evening.table.snapshot()
    events = (snapshot.entries[seq - 1].event for seq in snapshot.state.line)
    return [event.option for event in events if isinstance(event, Chosen)]


def test_the_only_answer_is_given_by_the_table(tmp_path: Path) -> None:
    evening = batteries_bought(tmp_path, 2)
    assert chosen(evening)[-1] == "use_0"
    assert evening.question.key != "batteries"


def test_a_choice_is_asked(tmp_path: Path) -> None:
    evening = batteries_bought(tmp_path, 3)
    assert chosen(evening)[-1].startswith("buy_")
    assert evening.question.key == "batteries"


def test_it_has_a_row_of_its_own_and_is_undone_by_name(tmp_path: Path) -> None:
    evening = batteries_bought(tmp_path, 2)
    row = undoable(evening.table.snapshot())
    assert row is not None
    assert row.event == Chosen(Seat(0), "use_0")
    assert entry_words(row).key == "choice.batteries.use"
    evening.say(Undone(row.seq))
    assert evening.question.key == "batteries"


def test_the_last_word_is_asked_where_a_power_may_be_used(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "tokyo").seats().begin(cards=("psychic_probe", *WARES[1:]))
    evening.numbers(0, 5, 3, 9).roll("6 heal").buy("psychic_probe").skip_to_roll()
    evening.roll("3 three 3 two")
    question = evening.question
    assert isinstance(question, Choice)
    assert (question.key, question.seat, len(question.open())) == ("last_word", 0, 1)
    position = evening.table.snapshot().state.position
    assert position is not None
    assert [offer.seat for offer in position.offers()] == [0]

"""Each kind of thing that happens, in words: by cause, with names, in the news and in the log."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from companion.engine import (
    Choice,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Face,
    Number,
    OrderChosen,
    Seat,
    Token,
    UnitKind,
)
from companion.service import wire
from companion.service.views.logbook import MOST_NEWS, LogRows, happened
from companion.service.views.tasks import task_views
from companion.table import Input, Redone, Undone
from tests.engine.tables import NEW_YORK, TOKYO, Scene, Table, dice
from tests.sentences.play import Evening

CITY = ("outside", "tokyo_city", "outside", "outside", "outside", "outside")
QUEENS = ("queens", "lower_2_4", "queens", "bronx")


def of(table: Table) -> Evening:
    return Evening.at(table.game)


def rolled(evening: Evening, letters: str, order: str = "") -> Evening:
    """Apply these dice, in this order of groups; missing dice are hearts, resolved last."""
    assert evening.state.game is not None
    turn = evening.state.game.turn
    faces = dice(letters + "H" * (turn.dice - len(letters)))
    groups = dice(order) or tuple(dict.fromkeys((*dice(letters), Face.HEAL)))
    evening.say(OrderChosen(turn.active, groups), DiceRolled(faces, final=True))
    return evening


def choose(evening: Evening, option: str, *before: str) -> Evening:
    question = evening.state.question
    assert question is not None
    evening.say(*(Chosen(question.seat, one) for one in (*before, option)), who=str(question.seat))
    return evening


def news(evening: Evening, mine: int | None = None, language: str = "en") -> list[str]:
    """Return the sentences of the newest command."""
    found = happened(evening.snapshot())
    reader = evening.reader(language, mine)
    return [reader.read(one.words, one.why) for one in found if one.act == found[0].act]


def rows(evening: Evening) -> tuple[wire.LogRow, ...]:
    return LogRows().all(evening.snapshot())


def newest_row(evening: Evening) -> list[str]:
    """Return the sentences of the newest row: what was done, then what came of it."""
    row, reader = rows(evening)[-1], evening.reader()
    lines = [(one.words, one.why) for one in row.happened]
    if not row.quiet:
        lines.insert(0, (row.words, row.why))
    return [reader.read(*line) for line in lines]


def tasks(evening: Evening, mine: int | None = None) -> list[str]:
    reader = evening.reader(mine=mine)
    return [
        reader.read(one.words, one.why)
        + (f" ({reader.read(one.note)})" if one.note is not None else "")
        for one in task_views(evening.snapshot())
    ]


# -- what is heard of one command -----------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """Dice, then answers; what is heard of the newest command, and what is not."""

    scene: Scene
    letters: str
    heard: tuple[str, ...]
    order: str = ""
    choices: tuple[str, ...] = ()
    unheard: str = "no such words"
    told: dict[int, str] = field(default_factory=dict)
    """A sentence by the seat that reads it of itself."""
    row: tuple[str, ...] | None = None
    """The newest row of the log, if it is looked at."""


TO_ROLL = ("until the next roll",)
SHOP = ("corner_store", "energize", "frenzy")
FIVE = ("outside", "tokyo_city", "tokyo_bay", "outside", "outside")
CASES = {
    "a hit names who, by how much and why": Case(
        Scene(TOKYO), "AA", ("Ana hit Ben for 2: Attack",), told={1: "Ana hit you for 2: Attack"},
        row=("Ana rolled two Attack, four Heal", "Ana hit Ben for 2: Attack"),
    ),
    "damage of which a card leaves nothing": Case(
        Scene(TOKYO, cards={1: ("armor_plating",)}), "A",
        ("Ben is spared 1 damage: Armor Plating",), unheard="hit",
    ),
    "Monsters hit alike share a sentence and others do not": Case(
        Scene(TOKYO, players=4, active=1, at=CITY, cards={3: ("armor_plating",)}), "A",
        ("Ben hit Þórdís and Ana for 1: Attack", "Théo is spared 1 damage: Armor Plating"),
    ),
    "damage of two kinds is one hit with two causes": Case(
        Scene(TOKYO, players=3, cards={0: ("fire_breathing",)}), "AA",
        ("Ana hit Ben for 3: Attack 2, Fire Breathing 1", "Ana hit Þórdís for 1: Fire Breathing"),
    ),
    "poison hurts by nobody": Case(
        Scene(TOKYO, tokens={0: {Token.POISON: 2}}), "112233", ("Ana loses 2 health: Poison",),
        "123", TO_ROLL, told={0: "You lose 2 health: Poison"},
    ),
    "units strike the Monsters that ouch names": Case(
        Scene(NEW_YORK, at=QUEENS[:3], units={"queens": (UnitKind.JET, UnitKind.TANK)}), "OO",
        ("Ana loses 2 health: Units strike", "Þórdís loses 2 health: Units strike"),
        unheard="Ben",
    ),
    "entering and yielding Tokyo": Case(
        Scene(TOKYO), "AA", ("Ana enters Tokyo City: 1 star", "Ben yields Tokyo City"),
        choices=("flee_outside",), told={1: "You yield Tokyo City"},
        row=("Ben yields Tokyo City", "Ana enters Tokyo City: 1 star"),
    ),
    "fleeing and entering Manhattan": Case(
        Scene(NEW_YORK, at=QUEENS[:3]), "AA",
        ("Ana enters Lower Manhattan: 1 star", "Ben flees from Lower Manhattan to Bronx"),
        choices=("flee_bronx",),
    ),
    "staying is an answer": Case(
        Scene(TOKYO), "AA", (), choices=("stay",), row=("Ben decides: Stay",)
    ),
    "Superstar is taken from its holder": Case(
        Scene(NEW_YORK, at=QUEENS[:3], goals={"superstar": 2}), "CCC",
        ("Ana takes Superstar from Þórdís", "Ana gains 1 star: Celebrity"),
    ),
    "the statue brings three stars": Case(
        Scene(NEW_YORK, at=QUEENS[:3], goals={"statue_of_liberty": 2}, stars={2: 5}), "OOO",
        ("Ana takes Statue of Liberty from Þórdís: 3 stars", "Þórdís loses 3 stars"),
    ),
    "out, and the bay closes": Case(
        Scene(TOKYO, players=5, at=FIVE, health={3: 1}, active=1), "A",
        ("Théo is out", "Tokyo Bay is closed: only 4 Monsters left.", "Þórdís leaves Tokyo Bay"),
        told={3: "You are out"},
    ),
    "a bay that stays open is not spoken of": Case(
        Scene(TOKYO, players=6, at=(*FIVE, "outside"), health={3: 1}, active=1), "A",
        ("Théo is out",), unheard="closed",
    ),
    "a purchase, its price and what it brought": Case(
        Scene(TOKYO, shop=SHOP, energy={0: 9}), "123",
        ("Ana buys Corner Store for 3: 1 star",), "123", ("buy_corner_store",),
        told={0: "You buy Corner Store for 3: 1 star"},
        row=("Ana buys Corner Store for 3: 1 star",),
    ),
    "a sweep says its price": Case(
        Scene(TOKYO, energy={0: 9}), "123", ("Ana sweeps the cards for 2",), "123", ("sweep",)
    ),
    "what a destroyed tile paid": Case(
        Scene(NEW_YORK, at=QUEENS[:3], tops={"queens": ("skyscraper_1",) * 3}), "D",
        ("Ana destroys Skyscraper 1: 1 star",), choices=("the first",),
        row=("Ana destroys Skyscraper 1: 1 star",),
    ),
    "healing and by which card": Case(
        Scene(TOKYO, health={0: 3}, cards={0: ("regeneration",)}), "12",
        ("Ana heals 5: Heal +4, Regeneration +1",),
    ),
    "healing up to the maximum": Case(
        Scene(TOKYO, health={0: 9}, cards={0: ("regeneration",)}), "12",
        ("Ana heals 1: Heal +4, Regeneration +1, maximum −4",),
    ),
    "stars of three dice name them": Case(
        Scene(TOKYO), "2223", ("Ana gains 2 stars: three 2s",)
    ),
    "stars of four dice are no triple": Case(
        Scene(TOKYO), "2222", ("Ana gains 3 stars: four 2s",),
        row=("Ana rolled four 2s, two Heal", "Ana gains 3 stars: four 2s"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_kind_is_heard(case: Case) -> None:
    table = case.scene.begin()
    evening = rolled(of(table), case.letters, case.order)
    for option in case.choices:
        if option == TO_ROLL[0]:
            to_roll(evening)
        elif option == "the first":
            first_answer(evening)
        else:
            card = option.removeprefix("buy_")
            choose(evening, f"buy_{table.card(card).id}" if card != option else option)
    heard = news(evening)
    for line in case.heard:
        assert any(one.startswith(line) for one in heard), heard
    assert not any(case.unheard in one for one in heard), heard
    for seat, line in case.told.items():
        assert line in news(evening, mine=seat)
    if case.row is not None:
        assert newest_row(evening)[: len(case.row)] == list(case.row)


def to_roll(evening: Evening) -> None:
    """Decline everything until the next roll."""
    while evening.state.question is not None and evening.state.question.key != "roll":
        choose(evening, "end")


def first_answer(evening: Evening) -> None:
    """Give the first answer that is open."""
    question = evening.state.question
    assert isinstance(question, Choice)
    choose(evening, question.open()[0].key)


def test_what_a_card_adds_to_a_hit_and_what_armour_takes_off_add_up() -> None:
    cards = {0: ("spiked_tail",), 1: ("camouflage",)}
    evening = rolled(of(Scene(TOKYO, cards=cards).begin()), "AA")
    evening.say(DiceRolled(dice("HEE"), final=True))
    assert news(evening) == ["Ana hit Ben for 2: Attack 2, Spiked Tail 1, Camouflage −1"]


def test_income_belongs_to_the_turn_that_begins() -> None:
    evening = rolled(of(Scene(TOKYO, players=3).begin()), "123", "123")
    to_roll(evening)
    (income,) = [one for one in rows(evening)[-1].happened if one.words.key.endswith("stars")]
    assert evening.reader().read(income.words, income.why) == (
        "Ben gains 2 stars: Turn started in Tokyo City"
    )
    assert (income.turn, income.active) == (rows(evening)[-1].turn + 1, 1)


# -- the log --------------------------------------------------------------------------------------


def corrected(value: int, what: Number = Number.STARS, seat: int = 1) -> Corrected:
    return Corrected((Correction(Seat(seat), what, value),))


BOTH = Corrected(tuple(Correction(Seat(1), what, 4) for what in (Number.STARS, Number.HEALTH)))


def test_thirteen_taps_on_one_dial_are_one_line() -> None:
    evening = of(Scene(TOKYO).begin())
    for value in range(1, 14):
        evening.say(corrected(value))
    assert [row.joins for row in rows(evening)] == [False, *(True,) * 12]
    assert news(evening) == ["Ben’s stars: 12 → 13"]


@pytest.mark.parametrize(
    ("event", "who"),
    [
        (corrected(4), "2"),
        (corrected(4, Number.ENERGY), "0"),
        (corrected(4, seat=0), "0"),
        (BOTH, "0"),
    ],
    ids=("another person", "another number", "another Monster", "two numbers"),
)
def test_another_hand_or_dial_begins_a_line_of_its_own(event: Input, who: str) -> None:
    evening = of(Scene(TOKYO).begin())
    evening.say(corrected(3))
    evening.say(event, who=who)
    assert not rows(evening)[-1].joins


def test_a_turn_of_the_dial_after_an_undo_begins_a_line_of_its_own() -> None:
    evening = of(Scene(TOKYO).begin())
    evening.say(corrected(3))
    evening.say(corrected(4))
    evening.say(Undone(2))
    evening.say(corrected(5))
    assert [row.joins for row in rows(evening)] == [False, True, False, False]
    assert [row.undone for row in rows(evening)] == [False, True, False, False]


def test_undo_and_redo_name_what_they_change_and_who_did_it() -> None:
    evening = rolled(of(Scene(TOKYO).begin()), "AA")
    first = evening.entries[0].seq
    evening.say(Undone(first), who="1")
    assert news(evening) == ["Ben undid 2 steps: Ana rolled two Attack, four Heal"]
    assert news(evening, mine=1) == ["You undid 2 steps: Ana rolled two Attack, four Heal"]
    evening.say(Redone(evening.entries[-1].seq), who="")
    assert news(evening)[0] == "Redone: 2 steps: Ana rolled two Attack, four Heal"
    assert newest_row(evening) == news(evening)[:1]


def test_nobody_chose_what_another_answer_brought_with_it() -> None:
    scene = Scene(NEW_YORK, at=("queens", "lower_2_4", "queens"), energy={0: 9})
    table = scene.begin()
    evening = rolled(of(table), "EE")
    assert evening.state.question is not None
    if evening.state.question.key == "move":
        choose(evening, "end", "stay")
    quiet = {row.words.key: row.quiet for row in rows(evening)}
    assert quiet["did.order"] is True
    assert quiet["did.rolled.2"] is False


def test_the_news_is_bounded_and_begins_anew_with_each_roll() -> None:
    evening = of(Scene(TOKYO, players=6, at=CITY, active=1).begin())
    evening = rolled(evening, "AA")
    assert 0 < len(happened(evening.snapshot())) <= MOST_NEWS
    to_roll(evening)
    rolled(evening, "123", "123")
    assert not any("hit" in line for line in news(evening))


# -- tasks ----------------------------------------------------------------------------------------


def test_tasks_are_absolute_and_taken_together() -> None:
    scene = Scene(NEW_YORK, at=QUEENS[:3], stars={0: 9}, tops={"queens": ("skyscraper_1",) * 3})
    evening = rolled(of(scene.begin()), "DEEE", "DEH")
    first_answer(evening)
    assert "Turn your star dial to 10: Skyscraper 1 destroyed (it was 9)" in tasks(evening, mine=0)
    assert "Take 3 energy (you have 3)" in tasks(evening, mine=0)
    assert "Ana: take 3 energy (Ana has 3)" in tasks(evening)


def test_cubes_for_a_card_name_the_card() -> None:
    scene = Scene(TOKYO, shop=SHOP, energy={0: 9})
    table = scene.begin()
    evening = rolled(of(table), "1123EE", "123E")
    choose(evening, f"buy_{table.card('corner_store').id}")
    (cubes,) = [one for one in tasks(evening, mine=0) if "energy" in one]
    assert cubes == "Put back 1 energy: Energy +2, Paid for Corner Store −3 (you have 8)"


def test_a_task_keeps_its_id_until_it_asks_for_something_else() -> None:
    evening = rolled(of(Scene(TOKYO, energy={0: 9}).begin()), "AA")
    before = {one.id for one in task_views(evening.snapshot())}
    choose(evening, "flee_outside")
    after = {one.id for one in task_views(evening.snapshot())}
    assert before
    assert before < after


def test_a_number_set_by_hand_is_no_task() -> None:
    evening = rolled(of(Scene(TOKYO).begin()), "AA")
    assert any("heart dial" in one for one in tasks(evening))
    evening.say(corrected(6, Number.HEALTH))
    assert not any("heart dial" in one for one in tasks(evening))


def test_what_ends_where_it_began_is_no_task_and_a_roll_clears_all() -> None:
    scene = Scene(TOKYO, energy={0: 2}, shop=("energize", "nova_breath", "frenzy"))
    evening = rolled(of(scene.begin()), "EE12", "E12H")
    choose(evening, "sweep")
    assert not any("energy" in one for one in tasks(evening))
    assert "Discard the three cards for sale" in tasks(evening)
    evening.say(Undone(evening.entries[-1].seq))
    choose(evening, "end")
    rolled(evening, "123", "123")
    assert not any("energy" in one for one in tasks(evening))

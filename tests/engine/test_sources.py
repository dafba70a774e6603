"""Names of abilities, in histories and at their carriers: one class formats and parses each."""

from __future__ import annotations

import pytest

from companion.engine import EDITIONS, Seat
from companion.engine.effects.sources import Mark, Ref, Source
from companion.engine.index import index_of
from companion.engine.values import TABLE, CardId, CardInPlay, Condition, InPlay, TokenPile


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("income@game", Source("", "income", TABLE)),
        ("poison_works@2", Source("", "poison_works", Seat(2))),
        ("wings.take_wing@0", Source("wings", "take_wing", Seat(0))),
        (
            "new_york_marathon.closed_streets@-1",
            Source("new_york_marathon", "closed_streets", TABLE),
        ),
    ],
)
def test_a_source_reads_back_as_it_is_written(text: str, source: Source) -> None:
    assert Source.read(text) == source
    assert str(source) == text
    assert source.of_the_rules == (text == "income@game")


@pytest.mark.parametrize(
    "text", ["", "income@", "a.b.c@1", "a@-2", "game/", "card.x/fly", "token.web/tear"]
)
def test_what_is_no_name_of_an_ability_is_none(text: str) -> None:
    assert (Source.read(text), Ref.read(text)) == (None, None)


PROBE = Ref.of_card(CardId(7), "probe")


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("entered", Mark("entered")),
        ("game/income", Mark(Ref("game", "", TABLE, "income"))),
        ("card.7/probe", Mark(PROBE)),
        ("token.web.2/tear", Mark(Ref("token", "web", Seat(2), "tear"))),
        ("last_word@2", Mark("last_word", seat=Seat(2))),
        ("7/tapped@1", Mark("tapped", CardId(7), seat=Seat(1))),
        ("declined_12@0", Mark("declined", about=CardId(12), seat=Seat(0))),
        ("card.7/probe@0#0", Mark(PROBE, seat=Seat(0), clock=0)),
        ("card.7/probe@2#15", Mark(PROBE, seat=Seat(2), clock=15)),
    ],
)
def test_a_mark_reads_back_as_it_is_written(text: str, mark: Mark) -> None:
    assert Mark.read(text) == mark
    assert str(mark) == text
    assert mark.word == text.split("/")[-1].split("@")[0].split("_12")[0]


@pytest.mark.parametrize("text", ["", "entered@", "entered@-1", "x/probe", "7/@1", "last_word#3@1"])
def test_what_is_no_mark_is_none(text: str) -> None:
    assert Mark.read(text) is None


@pytest.mark.parametrize("edition", EDITIONS, ids="-".join)
def test_every_ability_in_play_has_names_that_read_back(edition: tuple[str, str]) -> None:
    rules = EDITIONS[edition]
    owned = tuple(
        CardInPlay(CardId(at), name, Seat(at % 3)) for at, name in enumerate(rules.cards, 1)
    )
    held = tuple(TokenPile(token, Seat(1), 2) for token in rules.tokens)
    conditions = tuple(Condition(kind, Seat(2), 9) for kind in rules.conditions)
    index = index_of(rules, InPlay(cards=owned, tokens=held, conditions=conditions))
    assert len(index.by_ref) > 50
    for ref, entry in index.by_ref.items():
        read, source = Ref.read(ref), Source.read(entry.cause)
        assert read is not None
        assert source is not None
        assert (str(read), str(source)) == (ref, entry.cause)
        assert read.ability == source.ability == entry.ability.name
        assert source.seat == entry.seat

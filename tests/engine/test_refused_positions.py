"""Positions that neither play nor corrections can lead to are refused, in one sentence with the
right value; so are texts that are none.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from companion.engine import Position
from companion.engine.reading import (
    LONGEST_WORD,
    PositionError,
    in_one_line,
    json_mistake,
    read_position,
)

Json = dict[str, Any]


def tokyo(*monsters: Json, **more: Any) -> Json:
    return {"rules": "tokyo", "monsters": list(monsters) or [{}, {"place": "tokyo_city"}], **more}


def new_york(*monsters: Json, **more: Any) -> Json:
    two = [{"place": "queens"}, {"place": "lower_2_4"}]
    return {"rules": "new-york", "monsters": list(monsters) or two, **more}


def owned(name: str, **more: Any) -> Json:
    return {"cards": [{"id": 7, "name": name, "owner": 0, **more}]}


def bronx(**what: Any) -> list[Json]:
    return [{"area": "bronx", **what}]


HOSPITALS = [{"top": "hospital_2"}] * 3
TURN_OVER = {"type": "TurnOver", "seat": 0}
HURT = {"type": "Damage", "seat": 1, "amount": 3, "dealer": 0, "by_attack": True}

REFUSED: dict[str, tuple[Json, str]] = {
    "a borough with four stacks": (
        new_york(boroughs=bronx(stacks=[*HOSPITALS, {"top": "skyscraper_2"}])),
        "bronx: stacks are 4, not 3",
    ),
    "a Monster that stands nowhere": (
        new_york({}, {"place": "lower_2_4"}, turn={"number": 7}),
        "seat 0: place is null, not one of staten_island, bronx, queens, brooklyn, lower_2_4,"
        " lower_5_6, midtown_2_4, midtown_5_6, upper_2_4, upper_5_6",
    ),
    "counters on a card that has none": (
        tokyo(in_play=owned("wings", counters=2)),
        "wings (id 7): counters is 2, not 0",
    ),
    "a Discard card in front of a Monster": (
        tokyo(in_play=owned("heal")),
        "heal (id 7): owner is 0, but a Discard card stays in front of nobody",
    ),
    "trophies where none are kept": (
        new_york({"place": "queens", "trophies": ["jet"]}, {"place": "bronx"})
        | {"house": ["no_trophies"]},
        "seat 0: trophies are 1, not 0: this game keeps none",
    ),
    "two Units of one id": (
        new_york(boroughs=bronx(units=[{"id": 5, "kind": "jet"}, {"id": 5, "kind": "tank"}])),
        "cards and units: id 5 is there twice, not once",
    ),
    "a Unit on top of a stack": (
        new_york(boroughs=bronx(stacks=[{"top": "tank"}])),
        "bronx, stack 3: top is tank, not a building",
    ),
    "more tiles left than unseen": (
        new_york(tile_pool=["skyscraper_1"]),
        "tile_pool: 1 tiles, not at least the 45 that are left",
    ),
    "nine dice": (
        tokyo(turn={"rolls_left": 1, "faces": ["heal"] * 9}),
        "turn: faces are 9, not 0 to 8",
    ),
    "fewer dice than thrown": (
        tokyo(turn={"rolls_left": 1, "dice": 5, "faces": ["heal"] * 6}),
        "turn: faces are 6, not 5 like its dice",
    ),
    "turn 0 after the set-up": (
        tokyo(turn={"number": 0}),
        "turn: number is 0, not 1 to 1073741823",
    ),
    "one Monster in the box": (
        tokyo({}),
        "monsters: 1 of them, not 2 to 6",
    ),
    "one Monster alone": (
        tokyo({}, {"alive": False, "died_turn": 3}, turn={"number": 8}),
        "ended is null, yet seat 0 alone is alive; write how the game ended, or died_turn 8 of who"
        " died this turn",
    ),
    "the dead to move": (
        tokyo({"alive": False, "died_turn": 3}, {}, {}, turn={"number": 8, "active": 0}),
        "turn: active is 0, who is out of the game, not one of 1, 2",
    ),
    "who lives and died": (
        tokyo({"died_turn": 3}, {}, turn={"number": 8}),
        "seat 0: died_turn is 3, not null for a living Monster",
    ),
    "somebody out of the game in a place": (
        tokyo({}, {}, {"alive": False, "place": "outside"}),
        "seat 2: place is outside, not null if alive is false",
    ),
    "a condition of another turn": (
        tokyo(in_play={"conditions": [{"kind": "wings", "seat": 0, "turn": 9}]}),
        "seat 0, condition wings: turn is 9, not 1 (or 1073741824: until used)",
    ),
    "a copy of itself": (
        tokyo(in_play=owned("mimic", copies=7)),
        "mimic (id 7): copies is 7, not the id of another Keep card",
    ),
    "an agenda without an end of the turn": (
        tokyo(turn={"final": True}, agenda=[{"type": "BuyPhase", "seat": 0}]),
        "agenda: it leads to no question, yet the game has not ended (ended is null)",
    ),
    "a phase of somebody else": (
        tokyo(turn={"final": True}, agenda=[TURN_OVER, {"type": "EndPhase", "seat": 1}])
        | {"monsters": [{"energy": 9}, {}], "in_play": owned("metamorph", owner=1)},
        "agenda[1]: seat of EndPhase is 1, not 0",
    ),
    "an ability that says nothing": (
        tokyo({}, {"place": "outside"}, turn={"final": True})
        | {"agenda": [TURN_OVER, {"type": "Reaction", "ref": "game/may_flee", "effect": HURT}]},
        "agenda[1]: ref game/may_flee says nothing to Damage of seat 1, amount 3, dealer 0,"
        " by_attack true: nothing is asked",
    ),
    "an ability of another than it happens to": (
        tokyo({}, {"place": "tokyo_city"}, turn={"final": True}, in_play=owned("wings"))
        | {
            "agenda": [
                TURN_OVER,
                {"type": "Reaction", "ref": "card.7/take_wing", "effect": HURT, "instead": True},
            ]
        },
        "agenda[1]: effect: seat is 1, not 0 like the owner of card.7/take_wing",
    ),
    "an ability of a card that is not there": (
        tokyo(turn={"final": True}, next_id=50)
        | {
            "agenda": [
                TURN_OVER,
                {"type": "Reaction", "ref": "card.9/take_wing", "effect": HURT, "instead": True},
            ]
        },
        "agenda[1]: ref card.9/take_wing: its card, token or condition is not in play, so nothing"
        " is asked",
    ),
    "a part of no packet": (
        tokyo(turn={"final": True}, agenda=[TURN_OVER, {"type": "Part", "effect": HURT}]),
        "agenda[1]: part of a packet, but no Together lies below it",
    ),
    "an ability that answers something else": (
        tokyo(turn={"final": True})
        | {
            "agenda": [
                TURN_OVER,
                {"type": "Reaction", "ref": "game/may_flee", "effect": TURN_OVER},
            ]
        },
        "agenda[1]: effect: game/may_flee answers Damage, not TurnOver",
    ),
    "won by somebody with too few stars": (
        tokyo(ended={"reason": "stars", "winners": [0]}),
        "ended: winners are 0, not nobody",
    ),
    "a misspelt card": (
        tokyo(in_play=owned("wngs")),
        "cards: name is wngs, not wings",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_in_one_sentence(what: str) -> None:
    written, why = REFUSED[what]
    with pytest.raises(PositionError) as refused:
        read_position(json.dumps(written).encode())
    assert str(refused.value) == why


SEVEN_THOUGHTS = {"rolls_left": 9, "faces": ["heal"] * 6}
CHOOSING = [{"type": "BeginTurn", "seat": 0}, {"type": "ChooseStart", "seat": 0}]

ACCEPTED: dict[str, tuple[Json, str]] = {
    "seven uses of Telepath": (tokyo(turn=SEVEN_THOUGHTS), "roll"),
    "three dice of shrunken hands": (
        tokyo(turn={"rolls_left": 1, "faces": ["heal"] * 3})
        | {"in_play": {"tokens": [{"token": "shrink", "seat": 0, "count": 3}]}},
        "roll",
    ),
    "two ways into Manhattan in one turn": (
        new_york(turn={"used": ["entered", "entered"]}),
        "roll",
    ),
    "no dice at all": (
        tokyo(in_play={"tokens": [{"token": "shrink", "seat": 0, "count": 8}]}),
        "roll",
    ),
    "a Monster without a place while places are chosen": (
        new_york({}, {"place": "bronx"}, turn={"number": 0}, agenda=CHOOSING),
        "place",
    ),
    "alone in the turn in which the other died": (
        tokyo({}, {"alive": False, "died_turn": 8})
        | {"turn": {"number": 8, "final": True, "faces": ["heal", "energy"]}},
        "group",
    ),
    "a dead Monster before the one that is to move": (
        tokyo({"alive": False}, {}, {}),
        "roll",
    ),
    "alone in turn 1, for a correction in the set-up": (
        tokyo({}, {"alive": False, "died_turn": 0}),
        "roll",
    ),
    "a Discard card on its way to the discards": (
        tokyo(in_play=owned("heal"), turn={"final": True})
        | {"agenda": [TURN_OVER, {"type": "DropCard", "seat": 0, "card": 7, "name": "heal"}]},
        "roll",
    ),
    "somebody moved to the second track by hand": (
        new_york(*[{"place": p} for p in ("upper_5_6", "bronx", "bronx", "queens", "queens")]),
        "roll",
    ),
}


@pytest.mark.parametrize("what", ACCEPTED)
def test_what_play_and_corrections_can_reach_is_read(what: str) -> None:
    written, asks = ACCEPTED[what]
    asked = Position.of(read_position(json.dumps(written).encode())).question
    assert asked is not None
    assert asked.key == asks


def test_a_message_counts_cards_and_boroughs_as_the_writer_did() -> None:
    for written, where in (
        (new_york(in_play={"cards": [{"name": "fury", "owner": "0"}]}), "$.in_play.cards[0].owner"),
        (new_york(boroughs=[{"area": "queens", "units": [{"kind": "navy"}]}]), "$.boroughs[0]"),
    ):
        with pytest.raises(PositionError) as refused:
            read_position(json.dumps(written).encode())
        assert where in str(refused.value)


def test_lists_without_an_order_may_be_written_in_any() -> None:
    one = read_position(json.dumps(tokyo(discards=["wings", "heal"])).encode())
    other = read_position(json.dumps(tokyo(discards=["heal", "wings"])).encode())
    assert one == other


# -- texts ----------------------------------------------------------------------------------------

WHOLE = '{"rules": "tokyo", "monsters": [{%s}, {}]}'
MARK = "it begins with a byte order mark; save it as UTF-8 without one"

SLIPS: dict[str, tuple[bytes, str]] = {
    "nothing": (b" \n", "it is empty"),
    "a byte order mark": (b"\xef\xbb\xbf" + (WHOLE % "").encode(), MARK),
    "UTF-16": ((WHOLE % "").encode("utf-16"), MARK),
    "Latin-1": (
        (WHOLE % '"place": "caf\xe9"').encode("latin-1"),
        "byte 46 is no UTF-8; save it as UTF-8",
    ),
    "a field twice": (
        (WHOLE % '"health": 3, "health": 9').encode(),
        "health stands twice in one object, not once",
    ),
    "lists without end": (b"[" * 200_000, "it is nested too deeply"),
    "a list": (b"[]", "Expected `object`, got `array`"),
    "no game": (b'{"rules": "to\\nkyo", "monsters": []}', r"rules: no game to\nkyo; known: "),
}


@pytest.mark.parametrize("name", SLIPS)
def test_so_is_a_text_that_is_no_position(name: str) -> None:
    text, sentence = SLIPS[name]
    with pytest.raises(PositionError, match=f"^{re.escape(sentence)}"):
        read_position(text)


@pytest.mark.parametrize("text", ["{", "{'a': 1}", '{"a": 1,}', "[1.5, -2, 1e3]"])
def test_the_grammar_is_the_decoders_business(text: str) -> None:
    assert json_mistake(text.encode()) == ""


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\u2028", r"\u2028"),
        ("tokyo\ud800", r"tokyo\ud800"),
        ("x" * 100_000, "x" * LONGEST_WORD + "…"),
        ("ísland ♥", "ísland ♥"),
    ],
    ids=ascii,
)
def test_a_word_breaks_no_line_and_floods_none(word: str, shown: str) -> None:
    assert in_one_line(f"no place {word} there") == f"no place {shown} there"

"""Reading: positions reached by play are read back; impossible ones are refused by the name of the
field.
"""

from __future__ import annotations

import json
from random import Random
from typing import get_args

import pytest

from companion.engine import (
    AnyEffect,
    Borough,
    CardInPlay,
    Ended,
    ExtraTurn,
    Game,
    Monster,
    Stack,
    Turn,
    Unit,
    read_position,
)
from companion.engine.authoring import Condition, InPlay, Part, Reaction, Tally, Together, TokenPile
from tests.properties import reading
from tests.properties.reading import BREAKS, EFFECTS

PARTS = {
    "": Game,
    "monsters.": Monster,
    "turn.": Turn,
    "turn.tally.": Tally,
    "in_play.": InPlay,
    "in_play.cards.": CardInPlay,
    "in_play.shop.": CardInPlay,
    "in_play.tokens.": TokenPile,
    "in_play.conditions.": Condition,
    "boroughs.": Borough,
    "boroughs.stacks.": Stack,
    "boroughs.units.": Unit,
    "extra.": ExtraTurn,
    "ended.": Ended,
}
"""Every part of a position, by the path to it."""


def test_every_field_of_a_position_has_a_value_that_cannot_be() -> None:
    fields = {
        above + name for above, part in PARTS.items() for name in part.__struct_encode_fields__
    }
    steps = {f"agenda.{f}" for step in (Reaction, Together, Part) for f in step.__struct_fields__}
    assert fields | steps | {"agenda.type"} == BREAKS.keys()


def test_so_has_every_field_of_every_effect() -> None:
    assert {
        f for kind in get_args(AnyEffect) for f in kind.__struct_encode_fields__
    } == EFFECTS.keys()


def test_positions_of_random_play_are_read_back_as_they_were() -> None:
    tally = reading.accepted(700, seed=1)
    assert (tally.positions, tally.faults) == (700, [])


def test_positions_with_one_field_broken_are_refused_by_its_name() -> None:
    tally = reading.refused(400, seed=1)
    assert (tally.positions, tally.faults) == (400, [])
    assert len(tally.fields) > 100


STEPS = [
    {"type": "GainStars", "seat": 0, "amount": 1},
    {"type": "Heal", "seat": 0, "amount": 1, "by": 1},
    {"type": "Damage", "seat": 0, "amount": 1, "dealer": 1, "untried": 1, "occasion": 0},
    {"type": "HandOver", "seat": 0, "amount": 1, "to": 1},
    {"type": "GiveTokens", "seat": 0, "amount": 1, "token": "web", "mark": "entered"},
    {"type": "MoveTo", "seat": 0, "place": "queens", "how": "move", "former": "bronx"},
    {"type": "Convert", "seat": 0, "amount": 1, "face": "heal", "into": "energy"},
    {"type": "AddSymbols", "seat": 0, "amount": 1, "face": "heal"},
    {"type": "DieChanged", "seat": 0, "die": 1, "face": "heal", "card": 1},
    {"type": "DieSpent", "seat": 0, "die": 1},
    {"type": "SmashBuilding", "seat": 0, "stack": 3, "name": "skyscraper_1"},
    {"type": "DestroyUnit", "seat": 0, "unit": 30, "kind": "jet"},
    {"type": "SendUnit", "seat": 0, "unit": 30, "kind": "jet", "area": "queens"},
    {"type": "StackGone", "seat": 0, "stack": 3},
    {"type": "TileRevealed", "seat": 0, "stack": 4, "name": "skyscraper_2"},
    {"type": "CardRevealed", "seat": 0, "slot": 0, "card": 33, "name": "diva"},
    {"type": "DrawCard", "seat": 0, "card": 33, "name": "diva"},
    {"type": "SalvageCard", "seat": 0, "card": 33, "name": "stomp"},
    {"type": "CardArrived", "seat": 0, "card": 1, "name": "diva", "how": "taken"},
    {"type": "TakeGoal", "seat": 0, "card": 2, "name": "superstar", "former": 1},
    {"type": "CopyCard", "seat": 0, "card": 1, "of": None, "name": "diva"},
    {"type": "Under", "seat": 0, "kind": "subway", "turn": 1},
    {"type": "NoLonger", "seat": 0, "kind": "subway"},
    {"type": "WinExtraTurn", "seat": 0, "condition": "subway"},
    {"type": "Noted", "seat": 0, "ref": "entered"},
    {"type": "Ask", "seat": 0, "topic": "ride", "card": -1, "number": 1},
    {"type": "Ask", "seat": 0, "topic": "x", "shown": "diva", "used_up": ["bronx"]},
    {"type": "ShareHearts", "seat": 0, "card": 1, "left": 1, "given": [1]},
    {"type": "EndGame", "seat": 0, "reason": "card", "winners": [0]},
    {"type": "DiceThrown", "seat": 0, "faces": ["heal"] * 6, "final": True, "cost": 1},
    {"type": "RethrowDie", "seat": 0, "die": 1, "by": 1, "card": 1},
    {"type": "GainEnergy", "seat": 0, "amount": 1, "seen": [], "causes": [], "source": ""},
]
"""A step of each form that a field of an effect has."""


def with_step(step: dict[str, object]) -> bytes:
    """Return a position of New York whose next step is this one."""
    whole = {
        "rules": "new-york",
        "monsters": [{"place": "bronx"}, {"place": "lower_2_4"}],
        "turn": {"final": True, "faces": ["heal"] * 6},
        "in_play": {
            "cards": [{"id": 1, "name": "fury", "owner": 0}, {"id": 2, "name": "superstar"}]
        },
        "discards": ["stomp"],
        "boroughs": [
            {
                "area": "bronx",
                "stacks": [{"top": "skyscraper_1"}],
                "units": [{"id": 30, "kind": "jet"}],
            }
        ],
        "next_id": 40,
        "agenda": [{"type": "TurnOver", "seat": 0}, {"type": "BuyPhase", "seat": 0}, step],
    }
    return json.dumps(whole).encode()


@pytest.mark.parametrize("step", STEPS, ids=lambda step: str(step["type"]))
def test_each_field_of_a_step_to_come_is_looked_into(step: dict[str, object]) -> None:
    chance = Random(1)
    read_position(with_step(step))
    whole = json.loads(with_step(step))
    for name in step.keys() - {"type"}:
        value = EFFECTS[name]({**whole, "turn": {**whole["turn"], "number": 1}}, step, chance)
        broken = reading.Broken(f"agenda.{name}", with_step({**step, name: value}), value)
        assert reading.says(broken) == ""


def test_the_steps_tried_have_every_field_of_an_effect_but_the_marks_of_one() -> None:
    tried = {name for step in STEPS for name in step} - {"type"}
    shown = {"area", "extra", "inside", "answered", "by_attack", "by_ouch"}
    assert EFFECTS.keys() - tried <= shown | {"condition", "slot"}

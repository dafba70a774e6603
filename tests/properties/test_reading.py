"""Reading: positions reached by play are read back; impossible ones are refused by the name of the
field.
"""

from __future__ import annotations

from typing import get_args

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


def test_what_is_tried_of_effects_are_fields_of_theirs() -> None:
    fields = {f for kind in get_args(AnyEffect) for f in kind.__struct_encode_fields__}
    assert fields >= EFFECTS.keys()


def test_positions_of_random_play_are_read_back_as_they_were() -> None:
    tally = reading.accepted(700, seed=1)
    assert (tally.positions, tally.faults) == (700, [])


def test_positions_with_one_field_broken_are_refused_by_its_name() -> None:
    tally = reading.refused(400, seed=1)
    assert (tally.positions, tally.faults) == (400, [])
    assert len(tally.fields) > 80

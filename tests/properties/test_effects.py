"""Effects: one union has them all, each with its name in logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest

from companion import engine
from companion.engine import RULESETS, AnyEffect, Effect, authoring
from companion.engine.authoring import (
    AddCondition,
    EndCondition,
    MarkUsed,
    MoveUnit,
    PutMarker,
    TakeFromDiscards,
)
from companion.engine.effects.numbers import Gain, Loss
from tests.engine.tables import TOKYO


def kinds() -> Iterator[type[Effect]]:
    """Return every concrete effect of the engine; other tests may define more."""
    waiting = Effect.__subclasses__()
    while waiting:
        kind = waiting.pop()
        if kind.__module__.startswith("companion.") and kind not in (Gain, Loss):
            yield kind
        waiting += kind.__subclasses__()


KINDS = sorted(set(kinds()), key=lambda kind: kind.__name__)
TAGS: dict[type[Effect], str] = {
    AddCondition: "Under",
    EndCondition: "NoLonger",
    MarkUsed: "Noted",
    MoveUnit: "SendUnit",
    PutMarker: "LaySouvenir",
    TakeFromDiscards: "SalvageCard",
}
"""What logs call an effect whose class has got a plainer name."""


def test_the_union_lists_every_effect_once() -> None:
    listed = get_args(AnyEffect)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(KINDS)


def test_every_effect_is_exported() -> None:
    assert {kind.__name__ for kind in KINDS} <= {*vars(engine), *vars(authoring)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_it_says_what_it_is_in_json(kind: type[Effect]) -> None:
    assert kind.tag() == TAGS.get(kind, kind.__name__)
    assert kind.__struct_config__.frozen
    assert kind.__struct_config__.forbid_unknown_fields
    assert ("amount" in kind.__struct_fields__) >= kind.counted


def test_a_mimic_and_what_it_copies_never_share_a_name() -> None:
    rules = RULESETS[TOKYO]
    mine = {ability.name for ability in rules.cards["mimic"].abilities}
    for card in rules.cards.values():
        if card.name != "mimic":
            assert not mine & {ability.name for ability in card.abilities}, card.name

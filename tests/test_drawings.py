"""Drawings: everything that the engine and the service name has one, and all are well formed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.engine import Face, Token, UnitKind
from companion.engine.authoring import NEW_YORK
from companion.service.views import logbook, view
from companion.service.views.tasks import DIALS

ART = Path(__file__).resolve().parents[1] / "webui" / "src" / "art"
GOALS = ("superstar", "statue_of_liberty")
CURVES = re.compile(r"(?:[MlhvqcZ]|-?(?:\d+\.\d+|\d+|\.\d+)| )+")


def signs() -> dict[str, str]:
    """Path data by the sign's name."""
    source = (ART / "signs" / "signs.ts").read_text(encoding="utf-8")
    return dict(re.findall(r'^  (\w+):\s+"([^"]+)",$', source, flags=re.MULTILINE))


def monsters() -> dict[str, tuple[str, str]]:
    """Silhouette and marks by art id."""
    source = (ART / "monsters" / "monsters.ts").read_text(encoding="utf-8")
    entry = r'id: "(\w+)",.*?body:\s+"([^"]+)",\s+marks:\s+"([^"]+)"'
    return {name: (body, marks) for name, body, marks in re.findall(entry, source, re.DOTALL)}


def test_every_face_token_unit_and_goal_has_a_sign() -> None:
    assert {*Face, *Token, *UnitKind, *GOALS} <= set(signs())


def test_every_tile_has_the_sign_of_its_kind() -> None:
    assert NEW_YORK.tiles
    assert {re.sub(r"_\d+$", "", tile) for tile in NEW_YORK.tiles} <= set(signs())


def test_every_sign_the_service_sends_is_drawn() -> None:
    assert {*DIALS.values(), *logbook.SIGNS.values()} <= set(signs())


def test_the_service_and_the_page_know_the_same_monsters() -> None:
    assert set(view.MONSTERS) == set(monsters())


@pytest.mark.parametrize("name", sorted(signs()))
def test_a_sign_is_closed_curves(name: str) -> None:
    path = signs()[name]
    assert path.startswith("M")
    assert path.endswith("Z")
    assert CURVES.fullmatch(path)


@pytest.mark.parametrize("name", sorted(monsters()))
def test_a_monster_is_closed_curves_of_its_own(name: str) -> None:
    body, marks = monsters()[name]
    for path in (body, marks):
        assert path.endswith("Z")
        assert CURVES.fullmatch(path)
    assert [other for other, drawn in monsters().items() if drawn[0] == body] == [name]

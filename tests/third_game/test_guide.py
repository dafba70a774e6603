"""The guide for authors quotes the example game word for word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lantern_fair import LANTERN_FAIR

from companion import engine
from companion.engine import authoring
from companion.games import GROUP

HERE = Path(__file__).parent
PAGE = (HERE.parent.parent / "CONTRIBUTING.md").read_text("utf-8")
GUIDE = PAGE.partition("\n## A game\n")[2]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
ENDINGS = {"python": "py", "toml": "toml", "markdown": "md"}
SHARED = ("TURN", "MOVING", "BUYING", "LASTING", "EndCondition", "RulesetError", "register", "My")


@pytest.mark.parametrize(("language", "text"), BLOCKS)
def test_each_piece_stands_in_the_example(language: str, text: str) -> None:
    files = [path.read_text("utf-8") for path in HERE.rglob(f"*.{ENDINGS[language]}")]
    assert any(text in one for one in files)


def test_the_pieces_and_names_are_there() -> None:
    assert len(BLOCKS) == 9
    assert len(LANTERN_FAIR.cards) == 12
    assert GROUP in GUIDE
    for name in SHARED:
        assert f"`{name}" in GUIDE
        assert name in vars(authoring)
    surface = {*vars(authoring), *vars(engine)}
    named = set(re.findall(r"`([A-Z]\w+)`", GUIDE))
    assert named - surface == {"None"}

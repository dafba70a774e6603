"""Playthroughs: stretches of games kept as text and replayed line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.playthroughs.__main__ import FOLDER, regenerated

FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_engine_plays_it_line_by_line_as_it_is_told(path: Path) -> None:
    text = path.read_text("utf-8")
    assert regenerated(text).splitlines() == text.splitlines()

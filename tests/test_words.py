"""Plain words: no banned word is in the code or the documents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CODE = ("companion", "models", "tools", "calibration", "webui/src")
SPEAKING = frozenset({".py", ".ts", ".tsx", ".md"})
BANNED = {
    r"told": "entered, reported, said by name: what happens",
    r"whom": "name the person, or rewrite the sentence",
    r"lay": "was; a rest of the dice; push, put",
    r"hands must": "a task with the box",
    r"what hands": "a task with the box",
    r"Standing": "Position",
    r"lures?": "hard negatives",
}
"""Words by what is written instead."""
EXCEPTIONS = frozenset(f"companion/engine/games/{game}/rules.md" for game in ("tokyo", "new_york"))
"""Rules, in which a sentence may need any word."""
MAY_STAND = r"\bLay steps\b|\bLay on the stack\b"
"""What one does with a stack, which is no noun."""


def texts() -> list[Path]:
    """Yield every source and page that people read."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    sources = [path for folder in CODE for path in (ROOT / folder).rglob("*.*")]
    return [
        path
        for path in (*pages, *sources)
        if path.suffix in SPEAKING
        and "node_modules" not in path.parts
        and path.relative_to(ROOT).as_posix() not in EXCEPTIONS
    ]


def banned(text: str) -> list[str]:
    """Return the banned words of a text, with their lines."""
    text = re.sub(MAY_STAND, "", text)
    return [
        f"{number}: {word}"
        for number, line in enumerate(text.splitlines(), 1)
        for word in BANNED
        if re.search(rf"(?<![\w.-]){word}(?![\w-])", line)
    ]


def test_no_banned_word_stands_in_code_or_docs() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): words
        for path in texts()
        if (words := banned(path.read_text("utf-8")))
    }
    assert len(texts()) > 450
    assert found == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"""What is told of it."""', ["1: told"]),
        ("ok\ndef told(): ...", ["2: told"]),
        ("dice that lay there; layer, overlay, lay-out", ["1: lay"]),
        ("untold, toldness", []),
        ('"""Lay steps on the stack."""', []),
    ],
)
def test_a_banned_word_is_found(text: str, found: list[str]) -> None:
    assert banned(text) == found

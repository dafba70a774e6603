"""Plain words: no banned word is in the code, and no dialect in documents and messages."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
CODE = ("companion", "models", "tools", "webui/src")
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
    assert len(texts()) > 300
    assert found == {}


# -- documents and messages -----------------------------------------------------------------------

PATTERNS = {
    r"\bwhere\b": "if",
    r"\banew\b": "again",
    r"\bat first\b": "by default",
    r"\bwhom\b": "name the person",
    r"\btold\b": "entered, notified",
    r"\bfilms?\b": "video",
    r"\bthe house\b": "your network",
    r"\bso (?:many|much) (?:seconds|minutes|bytes|of them|at once)\b": "the number",
    r"\bgives? way\b": "is replaced, ends",
    r"\bwhat there is\b": "name it",
    r"\bas ever\b": "as before",
    r"\bfor want of\b": "without",
    r"\bnobody new\b": "no further player",
    r"\bread along\b": "see",
    r"\bis due\b": "must happen",
    r"\bwho (?:takes|attacks|gains|watches|sits|plays|wants)\b": "whoever, people who",
    r"\bin the window\b": "in the terminal",
    r"\bgoes on by itself\b": "continues by itself",
    r"\bonce more\b": "again",
    r"\bmade anew\b": "rebuilt",
    r"\bthe release before\b": "the previous version",
}
"""What a stranger has to translate, by what says it."""
PLACES = (
    "continues where it was",
    "continues where it stopped",
    "every Monster where it stands",
    "ride where?",
    "says where",
    "send which Unit where?",
    "destroy where?",
    "stay where you are",
    "where do you start?",
    "where their figure stands",
    "where things go",
    "where to listen",
    "who sits where",
    "Who sits where",
    "{seat}, where?",
    "{where}",
    "Earlier games”, where",
    "and where to",
    "chooses where to stand",
    "where to start",
    "| what | where |",
    "| what | where | who |",
    "where the table runs",
    "where they are kept",
    "where your games are kept",
    "where the default data folder is",
    "Where a new thing goes",
    "#where-a-new-thing-goes",
)
"""In these, the word means a place."""
MAY_BE_SAID = (
    *PLACES,
    "looked at once more",
    "You may move once more",
)
"""Exceptions, by what they say."""


def english() -> dict[str, str]:
    """Return every document and every message, by where it stands."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    found = {page.name: page.read_text("utf-8") for page in pages}
    catalogue = json.loads((ROOT / "webui" / "locales" / "en.json").read_text("utf-8"))
    for key, words in catalogue.items():
        found[key] = words if isinstance(words, str) else " / ".join(words.values())
    return found


def dialect(text: str) -> list[str]:
    """Return what the patterns find in a text, with a few words around it."""
    for said in MAY_BE_SAID:
        text = text.replace(said, "")
    return [
        text[max(0, found.start() - 30) : found.end() + 20]
        for pattern in PATTERNS
        for found in re.finditer(pattern, text)
    ]


def test_documents_and_messages_speak_plainly() -> None:
    texts = english()
    assert len(texts) > 2000
    assert {name: found for name, text in texts.items() if (found := dialect(text))} == {}


def test_every_exception_is_said_somewhere() -> None:
    whole = "\n".join(english().values())
    assert [said for said in MAY_BE_SAID if said not in whole] == []

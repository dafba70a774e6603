"""Names of people: what is stripped, and how long they may be."""

from __future__ import annotations

import unicodedata

LONGEST = 24
JOINER = "\u200d"
FLAGS = range(0x1F1E6, 0x1F200)
SKINS = range(0x1F3FB, 0x1F400)


def clean_name(name: str) -> str:
    """The name in NFC without controls, bidi overrides or stray blanks, at most 24 graphemes."""
    kept = "".join(c for c in unicodedata.normalize("NFC", name) if _may_stand(c))
    return "".join(_graphemes(" ".join(kept.split()))[:LONGEST]).strip()


def _may_stand(character: str) -> bool:
    if character == JOINER or character.isspace():
        return True
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _graphemes(text: str) -> list[str]:
    """The text cut where a reader sees one sign end: marks, joined emoji and flags stay whole.

    A sign with more than eight marks on it is cut short, so that 24 signs stay small.
    """
    found: list[str] = []
    for character in text:
        if found and _continues(found[-1], character):
            found[-1] += character if len(found[-1]) < 12 else ""
        else:
            found.append(character)
    return found


def _continues(grapheme: str, character: str) -> bool:
    if character == JOINER or grapheme[-1] == JOINER:
        return True
    if unicodedata.category(character) in {"Mn", "Me", "Mc"} or ord(character) in SKINS:
        return True
    return ord(character) in FLAGS and len(grapheme) == 1 and ord(grapheme) in FLAGS

"""Players' names: cleaning, their longest length, and whether two look alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from companion.table import GameStarted, Input, RefusedError, SeatSetup, TableSet
from companion.table.history import LONGEST_NAME

LONGEST = 24
JOINER = "\u200d"
FLAGS = range(0x1F1E6, 0x1F200)
SKINS = range(0x1F3FB, 0x1F400)
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of invisible characters."""
FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Invisible characters of other categories."""
SELECTORS = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Variation selectors: invisible by themselves."""
LOOKS = str.maketrans(
    "аеіјорсухһԁԛԝѕґѵ" + "αεηιυκνορτχωγ" + "ɑɡı",  # noqa: RUF001
    "aeijopcyxhdqwsrv" + "aeniukvoptxwy" + "agi",
)
"""Small letters of other scripts by the Latin ones they look like."""
DRAWN = str.maketrans(
    "АВЕЅІЈКМНОРСТУХ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "I|10",  # noqa: RUF001
    "ABESlJKMHOPCTYX" + "ABEZHlKMNOPTYX" + "lllO",
)
"""Capitals likewise, and characters that look the same."""


def clean_name(name: str) -> str:
    """Return the name in NFC without controls, bidi overrides or stray blanks, at most 24
    graphemes.

    It is cut to `LONGEST_NAME` characters first: normalising a longer text may take very long.
    """
    text = unicodedata.normalize("NFC", name[:LONGEST_NAME])
    kept = "".join(c for c in text if _may_stand(c))
    return "".join(_graphemes(" ".join(kept.split()))[:LONGEST]).strip()


def with_clean_names(events: Iterable[Input]) -> tuple[Input, ...]:
    """Return the events with cleaned names.

    RefusedError where two look alike, or one is invisible.
    """
    return tuple(
        TableSet(event.game, event.edition, _cleaned(event.seats), event.house)
        if isinstance(event, TableSet)
        else event
        for event in events
    )


def check_all_named(events: Iterable[Input], setup: TableSet | None) -> None:
    """Raise RefusedError where the events start a game with an unnamed player."""
    for event in events:
        if isinstance(event, TableSet):
            setup = event
        seats = setup.seats if isinstance(event, GameStarted) and setup is not None else ()
        if not all(is_seen(seat.player) for seat in seats):
            raise RefusedError("error.name_blank")


def is_seen(name: str) -> bool:
    """Whether the name has a visible character."""
    return any(not c.isspace() for c in _visible(name))


def look_alike(one: str, other: str) -> bool:
    """Whether people would mistake one name for the other."""
    return not _looks(one).isdisjoint(_looks(other))


def _cleaned(seats: tuple[SeatSetup, ...]) -> tuple[SeatSetup, ...]:
    cleaned = tuple(SeatSetup(clean_name(seat.player), seat.monster) for seat in seats)
    for n, (raw, seat) in enumerate(zip(seats, cleaned, strict=True)):
        if raw.player.strip() and not is_seen(seat.player):
            raise RefusedError("error.name_blank")
        for other in cleaned[:n]:
            if seat.player and other.player and look_alike(seat.player, other.player):
                raise RefusedError("error.name_taken")
    return cleaned


def _looks(name: str) -> set[str]:
    """Return keys of the name's appearance: as it is read, and by its strokes alone."""
    seen = unicodedata.normalize("NFKC", _visible(name))
    small = seen.casefold().translate(LOOKS)
    strokes = seen.translate(DRAWN).translate(LOOKS).casefold()
    return {f"read {small}", f"drawn {strokes}"}


def _visible(name: str) -> str:
    return "".join(
        c
        for c in name
        if c not in FILLERS
        and unicodedata.category(c) not in UNSEEN
        and not any(ord(c) in selectors for selectors in SELECTORS)
    )


def _may_stand(character: str) -> bool:
    if character == JOINER or character.isspace():
        return True
    return character not in FILLERS and unicodedata.category(character) not in UNSEEN


def _graphemes(text: str) -> list[str]:
    """Split into graphemes: combining marks, joined emoji and flags stay whole.

    A grapheme is cut to twelve characters, so that a name of 24 stays short.
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

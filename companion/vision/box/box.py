"""A box: the prints by which the reader knows one set of dice, as one file.

Prints are kept as pictures and not as embeddings, so that other networks can use them. Nothing here
imports NumPy or OpenCV: the service loads boxes without them. How a box is used to name faces:
`companion.vision.read.enrolled`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec.structs import replace

from companion.engine import RULESETS, Face
from companion.files import open_regular, write_atomically
from companion.vision.errors import VisionError

MOST_PRINTS: Final = 16
"""The most prints kept of a face from each origin: the newest, since light and camera change."""
LONGEST_NAME: Final = 40
LARGEST_PICTURE: Final = 1 << 14
"""Bytes of one print's PNG; 64 × 64 px without any compression have 12,288."""
LARGEST_FILE: Final = 8 << 20
"""Bytes; six faces with as many prints as can be have at most 6.3 MB."""
_FORMAT: Final = 1


class Origin(StrEnum):
    """Where a print comes from."""

    ENROLLED = "enrolled"
    """Shown at the set-up, or labelled by hand."""
    CORRECTED = "corrected"
    """A misread die that the table put right."""
    PLAYED = "played"
    """A die of a roll that the table applied."""


class Print(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One picture of a face of the box."""

    picture: Annotated[bytes, msgspec.Meta(min_length=1, max_length=LARGEST_PICTURE)]
    """A PNG of the top face, rectified as the classifier takes it."""
    origin: Origin = Origin.ENROLLED


Name = Annotated[
    str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME, pattern=r"^\S([^\x00-\x1f\x7f]*\S)?$")
]
"""What people call a box: one line, no space at its ends."""


class Box(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set of dice: by face of the game the prints that stand for it. ValueError for a game or
    face that does not exist, and for more prints than are kept.

    Any six-sided dice may stand in for the game's: `faces` says which print counts as which face.
    """

    name: Name
    game: str
    faces: dict[Face, tuple[Print, ...]] = {}
    network: str = ""
    """The `commit` of the networks that cut the pictures; empty where it is not known."""
    format: Annotated[int, msgspec.Meta(ge=1, le=_FORMAT)] = _FORMAT

    def __post_init__(self) -> None:
        if self.game not in RULESETS:
            raise ValueError(f"there is no game {self.game!r}")
        for face, prints in self.faces.items():
            if face not in RULESETS[self.game].faces:
                raise ValueError(f"{face} is no face of {self.game}")
            for origin in Origin:
                if sum(one.origin is origin for one in prints) > MOST_PRINTS:
                    raise ValueError(f"more than {MOST_PRINTS} {origin} prints of {face}")

    def pictures(self) -> dict[Face, tuple[bytes, ...]]:
        """The PNGs of each face, in order."""
        return {face: tuple(one.picture for one in prints) for face, prints in self.faces.items()}

    def with_prints(self, added: Iterable[tuple[Face, Print]]) -> Box:
        """Make a box with these prints added; each face keeps its newest MOST_PRINTS of each
        origin."""
        faces = dict(self.faces)
        for face, one in added:
            mine = [*faces.get(face, ()), one]
            same = [old for old in mine if old.origin is one.origin]
            if len(same) > MOST_PRINTS:
                mine.remove(same[0])
            faces[face] = tuple(mine)
        return replace(self, faces=faces)


class _Header(msgspec.Struct, frozen=True):
    format: int = _FORMAT


_DECODER: Final = msgspec.json.Decoder(Box)
_HEADER_DECODER: Final = msgspec.json.Decoder(_Header)
"""Made on import: msgspec crashes where two threads use a type for the first time."""


def decode_box(content: bytes, source: str) -> Box:
    """Decode the content of a box's file; `source` names it in sentences. VisionError where it is
    malformed, too large or of a newer version."""
    if len(content) > LARGEST_FILE:
        raise VisionError("error.box.large", box=source, most=LARGEST_FILE >> 20)
    try:
        if _HEADER_DECODER.decode(content).format > _FORMAT:
            raise VisionError("error.box.newer", box=source)
        return _DECODER.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise VisionError("error.box.form", box=source, reason=str(error)) from error


def encode_box(box: Box) -> bytes:
    """Encode a box as the content of its file."""
    return msgspec.json.encode(box) + b"\n"


def load_box(path: Path) -> Box:
    """Load a box. VisionError where the file cannot be read, or as `decode_box`."""
    try:
        with open_regular(path) as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        reason = error.strerror or ""
        raise VisionError("error.box.unreadable", box=str(path), reason=reason) from error
    return decode_box(content, str(path))


def save_box(box: Box, path: Path) -> None:
    """Write a box; after a power cut the file holds the old box or the new one. VisionError, with
    the file unchanged, where it cannot be written."""
    try:
        write_atomically(path, encode_box(box))
    except OSError as error:
        reason = error.strerror or ""
        raise VisionError("error.box.unwritable", box=str(path), reason=reason) from error

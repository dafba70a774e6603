"""The boxes kept in the data folder: a file for each, and one that says which are in use."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec.structs import replace

from companion.files import open_regular, write_atomically
from companion.service.wire_pages import BoxLine
from companion.table import RefusedError
from companion.vision.box import (
    LARGEST_FILE,
    Corners,
    DiceSet,
    Profile,
    decode_box,
    encode_box,
    is_small_png,
    load_box,
)
from companion.vision.messages import KeptBoxes
from companion.vision.readings import VisionError

MOST_BOXES: Final = 24
_ID: Final = re.compile(r"[0-9a-f]{8}")
_INDEX: Final = "index.json"
_LARGEST_INDEX: Final = 1 << 16


class _Index(msgspec.Struct, frozen=True):
    """Which box is in use for each game, and the tray as the host drew it."""

    chosen: Annotated[dict[str, str], msgspec.Meta(max_length=64)] = {}
    tray: Corners | None = None


_DECODER: Final = msgspec.json.Decoder(_Index)
"""Made on import: msgspec crashes if two threads use a type for the first time."""


class BoxShelf:
    """The boxes of one data folder. Every method that writes raises RefusedError if the disk
    refuses, and then nothing has changed.

    One thread may write at a time. Any may read, and waits for nobody: what is known of the boxes
    is replaced, never changed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index = self._read_index()
        self._kept = self._read_boxes()

    def kept(self) -> tuple[BoxLine, ...]:
        """Return all boxes, by name."""
        chosen = self._index.chosen
        lines = (replace(b, chosen=chosen.get(b.game) == b.id) for b in self._kept.values())
        return tuple(sorted(lines, key=lambda one: (one.name, one.id)))

    def chosen(self, game: str) -> BoxLine | None:
        """Return the box in use for a game."""
        return self._kept.get(self._index.chosen.get(game, ""))

    def profile(self, base: Profile) -> Profile:
        """Return the profile to read with: the base, and over it the boxes in use and the tray as
        drawn. A box whose file cannot be read any more is left out."""
        boxes = [box for one in self._index.chosen.values() if (box := self._load(one))]
        dice = {**base.dice, **{box.game: box.pictures() for box in boxes}}
        played = tuple(lesson for box in boxes for lesson in box.played)
        tray = self._index.tray or base.tray
        return replace(base, dice=dice, tray=tray, played=played)

    def others(self) -> KeptBoxes:
        """Return the boxes that are not in use."""
        chosen = self._index.chosen.values()
        return tuple((one, self._path(one)) for one in self._kept if one not in chosen)

    def add(self, box: DiceSet) -> BoxLine:
        """Keep a box, and use it; one with the same name and game is replaced."""
        same = [one for one in self._kept.values() if (one.name, one.game) == (box.name, box.game)]
        if not same and len(self._kept) >= MOST_BOXES:
            raise RefusedError("error.box.many", most=MOST_BOXES)
        box_id = same[0].id if same else secrets.token_hex(4)
        self._save(box_id, box)
        self.choose(box_id)
        return self._kept[box_id]

    def add_file(self, content: bytes) -> BoxLine:
        """Keep the box that a file holds, and use it. VisionError or RefusedError if it is none."""
        box = decode_box(content, "box.json")
        pictures = [one for prints in box.pictures().values() for one in prints]
        pictures += [one for lesson in box.played for one in lesson.prints]
        if not all(map(is_small_png, pictures)):
            raise RefusedError("error.box.picture")
        return self.add(box)

    def content(self, box_id: str) -> bytes | None:
        """Return a box as the content of a file; None if there is no such box."""
        box = self._load(box_id)
        return encode_box(box) if box is not None else None

    def choose(self, box_id: str) -> None:
        """Use this box for its game."""
        game = self._known(box_id).game
        self._save_index(replace(self._index, chosen={**self._index.chosen, game: box_id}))

    def put_away(self, game: str) -> None:
        """Use no box for this game: any dice are read."""
        chosen = {one: kept for one, kept in self._index.chosen.items() if one != game}
        self._save_index(replace(self._index, chosen=chosen))

    def rename(self, box_id: str, name: str) -> None:
        """Give a box another name."""
        known = self._known(box_id)
        if any(
            (one.name, one.game) == (name, known.game) and one.id != box_id
            for one in self._kept.values()
        ):
            raise RefusedError("error.box.same_name", name=name)
        box = self._load(box_id)
        if box is None:
            raise RefusedError("error.box.unknown")
        self._save(box_id, replace(box, name=name))

    def delete(self, box_id: str) -> None:
        """Delete a box for good."""
        known = self._known(box_id)
        if self._index.chosen.get(known.game) == box_id:
            self.put_away(known.game)
        try:
            self._path(box_id).unlink(missing_ok=True)
        except OSError as error:
            raise _unwritable(known.name, error) from error
        self._kept = {one: box for one, box in self._kept.items() if one != box_id}

    def keep_played(self, new: DiceSet) -> None:
        """Keep what play has taught with the box in use for its game; without one, as a new box."""
        box = self._load(self._index.chosen.get(new.game, ""))
        self.add(replace(box, played=new.played) if box is not None else new)

    def draw_tray(self, tray: Corners | None) -> None:
        """Keep the tray as the host drew it; None: as found."""
        self._save_index(replace(self._index, tray=tray))

    def _known(self, box_id: str) -> BoxLine:
        if box_id not in self._kept:
            raise RefusedError("error.box.unknown", outdated=True)
        return self._kept[box_id]

    def _load(self, box_id: str) -> DiceSet | None:
        if box_id not in self._kept:
            return None
        try:
            return load_box(self._path(box_id))
        except VisionError:
            return None

    def _save(self, box_id: str, box: DiceSet) -> None:
        content = encode_box(box)
        if len(content) > LARGEST_FILE:
            raise RefusedError("error.box.large", box=box.name, most=LARGEST_FILE >> 20)
        self._write(self._path(box_id), content, box.name)
        self._kept = {**self._kept, box_id: _kept(box_id, box)}

    def _save_index(self, index: _Index) -> None:
        self._write(self._folder / _INDEX, msgspec.json.encode(index), _INDEX)
        self._index = index

    def _write(self, path: Path, content: bytes, name: str) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
        except OSError as error:
            raise _unwritable(name, error) from error

    def _read_index(self) -> _Index:
        """Read the index; an empty one if it is missing or damaged."""
        try:
            with open_regular(self._folder / _INDEX) as file:
                return _DECODER.decode(file.read(_LARGEST_INDEX))
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return _Index()

    def _read_boxes(self) -> dict[str, BoxLine]:
        """Read what is on the shelf; files that are no boxes stay there and are left out."""
        found: dict[str, BoxLine] = {}
        try:
            paths = sorted(self._folder.glob("*.json"))
        except OSError:
            return found
        for path in paths:
            if _ID.fullmatch(path.stem) and len(found) < MOST_BOXES:
                try:
                    found[path.stem] = _kept(path.stem, load_box(path))
                except VisionError:
                    continue
        return found

    def _path(self, box_id: str) -> Path:
        return self._folder / f"{box_id}.json"


def _kept(box_id: str, box: DiceSet) -> BoxLine:
    return BoxLine(
        id=box_id,
        name=box.name,
        game=box.game,
        prints=sum(map(len, (*box.faces.values(), *(lesson.prints for lesson in box.played)))),
    )


def _unwritable(name: str, error: OSError) -> RefusedError:
    return RefusedError("error.box.unwritable", box=name, reason=error.strerror or "")

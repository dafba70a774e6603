"""The folder of `companion simulate --rows`: parts of so many games, each written whole or not.

A part depends on the plan alone. So a run that was interrupted, or is to be longer, goes on where
parts are missing, and its files are the same as those of a run in one go.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from companion.files import write_atomically
from companion.simulation.errors import SimulationError
from companion.simulation.plan import FORM, Plan, SimulatedGame
from companion.table import RULES_VERSION

PART: Final = 250
"""Games in a part: ten seconds of one core, or a minute of a Pi: the most that stopping costs."""
PLAN: Final = "plan.json"


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`plan.json`: what all rows of the folder have in common."""

    form: int
    rules: str
    rows: str
    part: int
    plan: Plan


_KEPT: Final = msgspec.json.Decoder(_Kept)
_ROW: Final = msgspec.json.Decoder(SimulatedGame)


class _Kind(Protocol):
    """How rows become the bytes of a file, and the other way round."""

    def encode(self, rows: list[SimulatedGame]) -> bytes: ...
    def decode(self, content: bytes) -> tuple[SimulatedGame, ...]: ...


class RowsFolder:
    """The rows of one plan. `kind`: one of `KINDS`; `size`: games in a part."""

    def __init__(self, folder: Path, plan: Plan, kind: str, size: int = PART) -> None:
        self.size = size
        self._folder, self._kind_name, self._kind = folder, kind, KINDS[kind]()
        self._kept = _Kept(FORM, RULES_VERSION, kind, size, plan)

    def prepare(self) -> None:
        """Make the folder, or check that it holds rows of this plan.

        SimulationError where it holds something else; OSError where it cannot be made or read.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / PLAN
        if path.exists():
            try:
                kept = _KEPT.decode(path.read_bytes())
            except msgspec.MsgspecError:
                kept = None
            if kept != self._kept:
                raise SimulationError("error.simulate.other_rows", path=str(self._folder))
        elif any(self._folder.iterdir()):
            raise SimulationError("error.simulate.not_empty", path=str(self._folder))
        else:
            text = msgspec.json.format(msgspec.json.encode(self._kept))
            write_atomically(path, text + b"\n")

    def read(self, start: int, stop: int) -> tuple[SimulatedGame, ...] | None:
        """Return these games of the part that begins with the first, or None where they are not
        there whole; a longer run may have left more. Raises OSError where the file cannot be read.
        """
        try:
            content = self._path(start).read_bytes()
        except FileNotFoundError:
            return None
        try:
            rows = self._kind.decode(content)[: stop - start]
        except (ValueError, OSError):  # damaged (pyarrow raises both): it is played again
            return None
        return rows if [row.number for row in rows] == [*range(start, stop)] else None

    def write(self, rows: list[SimulatedGame]) -> None:
        """Write a part, all of it or nothing. Raises OSError."""
        write_atomically(self._path(rows[0].number), self._kind.encode(rows))

    def _path(self, start: int) -> Path:
        return self._folder / f"games-{start:010}.{self._kind_name}"


class _JsonLines:
    """A row a line."""

    def encode(self, rows: list[SimulatedGame]) -> bytes:
        return msgspec.json.Encoder().encode_lines(rows)

    def decode(self, content: bytes) -> tuple[SimulatedGame, ...]:
        return tuple(_ROW.decode_lines(content))


class _Parquet:
    """A Parquet file for each part; its metadata has the version of the columns."""

    def __init__(self) -> None:
        try:
            import pyarrow.parquet
        except ImportError as missing:
            raise SimulationError("error.simulate.no_parquet") from missing
        self._arrow: Any = pyarrow
        self._schema = _columns(pyarrow)

    def encode(self, rows: list[SimulatedGame]) -> bytes:
        table = self._arrow.Table.from_pylist(msgspec.to_builtins(rows), self._schema)
        sink = self._arrow.BufferOutputStream()
        self._arrow.parquet.write_table(table, sink, compression="zstd")
        content: bytes = sink.getvalue().to_pybytes()
        return content

    def decode(self, content: bytes) -> tuple[SimulatedGame, ...]:
        table = self._arrow.parquet.read_table(self._arrow.BufferReader(content))
        return tuple(msgspec.convert(row, SimulatedGame) for row in table.to_pylist())


def _columns(arrow: Any) -> Any:
    """The columns of `SimulatedGame`, in its order."""
    count, names = arrow.int32(), arrow.list_(arrow.string())
    seat = {
        "seat": count,
        "won": arrow.bool_(),
        "died_turn": count,
        "stars": count,
        "health": count,
        "energy": count,
        "dealt": names,
        "bought": names,
        "held": names,
    }
    columns = {
        "form": count,
        "rules": arrow.string(),
        "game": arrow.string(),
        "edition": arrow.string(),
        "house": names,
        "players": count,
        "seed": arrow.int64(),
        "number": count,
        "first": count,
        "cards": count,
        "offers": arrow.float64(),
        "events": count,
        "powers": count,
        "turns": count,
        "ended": arrow.string(),
        "broken": names,
        "digest": arrow.string(),
        "seats": arrow.list_(arrow.struct(list(seat.items()))),
    }
    return arrow.schema(list(columns.items()), metadata={"monster-table.form": str(FORM)})


KINDS: Final[dict[str, type[_Kind]]] = {"jsonl": _JsonLines, "parquet": _Parquet}
"""The kinds of files, by what `--as` calls them."""

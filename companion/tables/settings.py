"""The file that names the tables of one machine: its form, how it is checked, read and written."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from companion.files import is_there, open_lock, open_regular, write_atomically
from companion.service.network.addresses import advertised
from companion.tables.cameras import camera_of, same_camera

FILE_NAME: Final = "tables.json"
LOCK_NAME: Final = "tables.lock"
FOLDER: Final = "tables"
"""The folder of the tables' own folders, in the data folder."""
VERSION: Final = 1
MOST_TABLES: Final = 16
MOST_BYTES: Final = 64 * 1024
FIRST_PORT: Final = 8081
"""The first table's port: the front page has the one before."""
LAST_PORT: Final = 65_535

Name = Annotated[str, Meta(pattern=r"\A[a-z0-9][a-z0-9-]{0,23}\Z")]
Text = Annotated[str, Meta(max_length=1000, pattern=r"\A[^\x00-\x1f\x7f]*\Z")]


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table of a machine: a service of its own, with its own camera, log, code and QR code."""

    name: Name
    """Its name for commands, files and topics. It never changes."""
    port: Annotated[int, Meta(ge=1, le=LAST_PORT)]
    camera: Text = "none"
    data: Text = ""
    """Its data folder, relative to that of the machine; "": `tables/NAME`."""
    title: Annotated[str, Meta(max_length=40)] = ""
    """Its name for people; "": the same."""
    game: Annotated[str, Meta(max_length=64)] | None = None
    profile: Text | None = None
    advertise: Text | None = None
    open: bool = True
    """Whether it is served."""

    @property
    def shown(self) -> str:
        """Its name as people read it."""
        return self.title or self.name

    @property
    def camera_shown(self) -> str:
        """Its camera without a password."""
        return camera_of(self.camera).shown


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    version: int
    tables: Annotated[tuple[TableSettings, ...], Meta(max_length=MOST_TABLES)]


_FILE: Final = msgspec.json.Decoder(_File)


class TablesError(Exception):
    """The tables cannot be as they are named: the `key` of a sentence, and its `params`."""

    def __init__(self, key: str, **params: str | int) -> None:
        super().__init__(key)
        self.key, self.params = key, params


def has_tables(root: Path) -> bool:
    """Whether several tables are named in the data folder of a machine."""
    return is_there(root / FILE_NAME)


def read_tables(root: Path) -> tuple[TableSettings, ...]:
    """Return the tables of a machine, the closed ones too; none where no file names any.

    TablesError where the file cannot be read, or names what cannot be.
    """
    path = root / FILE_NAME
    try:
        with open_regular(path) as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return ()
    except OSError as refusal:
        raise TablesError(
            "error.unreadable", path=str(path), reason=refusal.strerror or ""
        ) from None
    return _checked(path, content, root)


def folder_of(root: Path, name: str) -> Path:
    """Return the data folder of the table of that name. TablesError where there is none."""
    return folder_in(root, _named(read_tables(root), name))


def folder_in(root: Path, table: TableSettings) -> Path:
    """Return the data folder of a table."""
    return root / (table.data or f"{FOLDER}/{table.name}")


def add_table(root: Path, table: TableSettings) -> None:
    """Add a table. TablesError where it cannot be beside the others."""
    _change(root, lambda tables: (*tables, table), table.name)


def set_open(root: Path, name: str, *, is_open: bool) -> bool:
    """Open or close a table; its log stays. Return whether that changed anything. TablesError where
    there is none of that name, or where another table has its camera by now."""
    changed = []

    def change(tables: tuple[TableSettings, ...]) -> tuple[TableSettings, ...]:
        named = _named(tables, name)
        changed.append(named.open != is_open)
        opened = replace(named, open=is_open)
        return tuple(opened if one is named else one for one in tables)

    _change(root, change, name)
    return changed[0]


def rival(table: TableSettings, others: Iterable[TableSettings]) -> TableSettings | None:
    """Return the first of the others that is open and reads this table's camera."""
    return next((one for one in others if one.open and same_camera(table.camera, one.camera)), None)


def camera_taken(table: TableSettings, other: TableSettings) -> TablesError:
    """Make the refusal of a camera that another table reads."""
    return TablesError(
        "error.tables.camera_taken",
        source=table.camera_shown, name=table.name, other=other.name,
    )  # fmt: skip


def free_port(tables: Iterable[TableSettings], front: int) -> int:
    """Return the first port that no table has, closed ones included: phones remember it."""
    taken = {front, *(one.port for one in tables)}
    return next(port for port in range(FIRST_PORT, LAST_PORT) if port not in taken)


def check_tables(tables: tuple[TableSettings, ...], root: Path) -> None:
    """TablesError where two tables have the same name, port or folder. Cameras are not looked at:
    they come and go, and one table's must not keep the others from being served."""
    if len(tables) > MOST_TABLES:
        raise TablesError("error.tables.many", most=MOST_TABLES)
    for index, table in enumerate(tables):
        _check_alone(table)
        for before in tables[:index]:
            _check_apart(table, before, root)


def _check_alone(table: TableSettings) -> None:
    """TablesError where a table could not be, whatever the others are."""
    if not table.title.isprintable():
        raise TablesError("error.tables.title", name=table.name)
    try:
        if table.advertise is not None:
            advertised(table.advertise)
    except ValueError:
        raise TablesError("error.advertise", given=table.advertise or "") from None


def _check_apart(table: TableSettings, before: TableSettings, root: Path) -> None:
    if table.name == before.name:
        raise TablesError("error.tables.name_taken", name=table.name)
    if table.port == before.port:
        raise TablesError("error.tables.port_taken", port=table.port, other=before.name)
    folder = folder_in(root, table)
    if folder.resolve() == folder_in(root, before).resolve():
        raise TablesError("error.tables.folder_taken", path=str(folder), other=before.name)


def _checked(path: Path, content: bytes, root: Path) -> tuple[TableSettings, ...]:
    try:
        if len(content) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES} bytes")
        found = _FILE.decode(content)
    except (ValueError, msgspec.MsgspecError, RecursionError) as wrong:
        raise TablesError("error.tables.file", path=str(path), reason=str(wrong)) from None
    if found.version != VERSION:
        raise TablesError("error.tables.file", path=str(path), reason=f"version {found.version}")
    check_tables(found.tables, root)
    return found.tables


def _named(tables: tuple[TableSettings, ...], name: str) -> TableSettings:
    for one in tables:
        if one.name == name:
            return one
    if not tables:
        raise TablesError("error.tables.none", name=name)
    names = ", ".join(one.name for one in tables)
    raise TablesError("error.tables.unknown", name=name, names=names)


def _change(
    root: Path, change: Callable[[tuple[TableSettings, ...]], tuple[TableSettings, ...]], name: str
) -> None:
    """Read the tables, change the one of that name, check and write; of two commands at once, one
    waits."""
    path = root / FILE_NAME
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root / LOCK_NAME):
            tables = change(read_tables(root))
            check_tables(tables, root)
            table = _named(tables, name)
            other = rival(table, (one for one in tables if one is not table))
            if table.open and other is not None:
                raise camera_taken(table, other)
            encoded = msgspec.json.encode(_File(VERSION, tables))
            content = msgspec.json.format(encoded, indent=1) + b"\n"
            write_atomically(path, content, 0o600)  # a camera's address may hold a password
    except OSError as refusal:
        where = str(refusal.filename or path)
        reason = refusal.strerror or ""
        raise TablesError("error.cannot_write", path=where, reason=reason) from None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open_lock(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield

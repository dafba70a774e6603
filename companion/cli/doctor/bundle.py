"""The support bundle: one file that says how this machine and its table are.

Without names, addresses and pictures unless they are asked for. Tokens, codes and passwords are
never in it.
"""

from __future__ import annotations

import getpass
import io
import json
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from companion.cli.doctor.diagnoses import Diagnosis
from companion.cli.doctor.private import folders_of, hosts_of, secrets_of, shown_settings
from companion.cli.logs import line_of
from companion.records import read_names
from companion.redaction import LEFT_OUT, redacted
from companion.service.app_state import BOXES
from companion.storage.files import write_atomically
from companion.table import Record, SeatSetup, TableSet
from companion.table.log import FILE_NAME, CannotOpenError, StoredRow, saved_rows, saved_tables
from companion.vision.report import versions

NAMES, ADDRESSES, PICTURES = "names", "addresses", "pictures"
SHARED: Final = (NAMES, ADDRESSES, PICTURES)
"""What may be asked for."""
UNIT: Final = "monster-table"
NOBODY: Final = {"", "root", "pi", "debian", "ubuntu", "user", UNIT}
"""Users who are no person, but words that a system says of itself."""
USER: Final = "[user]"
NEVER: Final = r"((?!))"
"""A pattern of nothing, with one group."""
LINES: Final = 2000
NO_LINES: Final = "-- No entries --"
STANDARD_OUTPUT: Final = "-"
ASK_S: Final = 20.0
MOST_TEXT: Final = 4 << 20
MOST_PICTURES: Final = 16 << 20
TABLES: Final = 3
"""How many of the newest games are in it."""
TIME: Final = (1980, 1, 1, 0, 0, 0)
"""Of every entry: when people played is nobody's business."""
OWNER_ONLY: Final = 0o600
_ADDRESSES: Final = (
    re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])"),
    re.compile(r"(?<![\w:.])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![\w:])", re.IGNORECASE),
    re.compile(
        r"(?<![\w:.])(?=[0-9a-f:]*::|(?:[0-9a-f]{1,4}:){4})[0-9a-f:]{3,39}(?:%\w{1,15})?(?![\w:])",
        re.IGNORECASE,
    ),
)
"""Of IPv4, of network cards, of IPv6."""
_SERIAL: Final = re.compile(r"(/dev/v4l/by-id/)[^\s\"']{1,200}|\b(usb-)[\w.:+-]{1,200}-index\d+")
"""The name of a camera by what it is, which has its serial number in it."""
_HOME: Final = (
    r"((?:(?<![\w/])/|(?<![\w/:])/{2,9}|(?<=file:)/{1,9})"
    r"(?:home|media|run/media|Users|var/home|var/mail)/+)[\w.+@-]{1,255}"
)
"""Somebody's home, which has the user's name in it, whoever runs this."""


class Bundle:
    """Makes the bundle of one data folder; `shared` is what of SHARED is asked for, `root` the
    folder of the machine whose table it is, `hosts` are machines that the settings name.
    """

    def __init__(
        self,
        data: Path,
        shared: Iterable[str],
        root: Path | None = None,
        hosts: Iterable[str] = (),
    ) -> None:
        self._data, self._shared = data, frozenset(shared)
        self._root = root or data
        self._hosts = sorted({*hosts_of(self._root), *hosts}, key=len, reverse=True)
        self._secrets = [
            form
            for one in sorted(secrets_of(self._root), key=len, reverse=True)
            for form in dict.fromkeys((json.dumps(one)[1:-1], one))
        ]
        words = self._words()
        self._instead = tuple(words.values())
        self._private = self._pattern(words)

    def write(self, path: Path, found: Iterable[Diagnosis]) -> list[str]:
        """Write the file, which only its owner reads, or standard output; return the names of what
        is in it. Raises OSError.
        """
        texts = {name: self._cleaned(text) for name, text in self._texts(found)}
        texts |= {
            f"games/{table}.jsonl": self._game(table) for table in _tables_in(self._data)[-TABLES:]
        }
        entries = {name: text[:MOST_TEXT].encode() for name, text in texts.items()}
        if PICTURES in self._shared:
            entries |= dict(self._pictures())
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, entry in entries.items():
                archive.writestr(zipfile.ZipInfo(name, TIME), entry)
        if str(path) == STANDARD_OUTPUT:
            sys.stdout.buffer.write(content.getvalue())
            sys.stdout.buffer.flush()
        else:
            write_atomically(path, content.getvalue(), mode=OWNER_ONLY)
        return list(entries)

    def clean(self, text: str) -> str:
        """Return the text without secrets, and without what was not asked for."""
        text = self._without_addresses(text)
        return self._private.sub(self._instead_of, text)

    def _instead_of(self, found: re.Match[str]) -> str:
        number = found.lastindex or 0
        return f"{found[1]}{USER}" if number == 1 else self._instead[number - 2]

    def _cleaned(self, text: str) -> str:
        """Return the text, cleaned; of lines of JSON each value by itself, so that they stay so."""
        return "".join(map(self._cleaned_line, text.splitlines(keepends=True)))

    def _cleaned_line(self, line: str) -> str:
        try:
            value = json.loads(line)
        except ValueError:
            return self.clean(line)
        return f"{json.dumps(_each(value, self.clean), ensure_ascii=False)}\n"

    def _without_addresses(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, LEFT_OUT)
        text = _SERIAL.sub(r"\1\2[camera]", redacted(text))
        if ADDRESSES not in self._shared:
            for pattern in _ADDRESSES:
                text = pattern.sub("[address]", text)
        return text

    def _words(self) -> dict[str, str]:
        """Return what names somebody here, with what is put in its place; the longest first."""
        found: dict[str, str] = {}
        if ADDRESSES not in self._shared:
            found |= dict.fromkeys((socket.gethostname(), *self._hosts), "[host]")
        if NAMES not in self._shared:
            found |= dict.fromkeys(_users(self._data) - NOBODY, USER)
            found |= dict.fromkeys(self._players(), "[player]")
        return {word: found[word] for word in sorted(found, key=len, reverse=True) if word}

    def _pattern(self, words: Iterable[str]) -> re.Pattern[str]:
        """Return a pattern of the homes of users, its first group, and of these words where they
        are no part of another, a group each: all in one pass, so that no word is looked for in what
        stands for another.
        """
        home = NEVER if NAMES in self._shared else _HOME
        groups = "|".join(f"({re.escape(word)})" for word in words) or NEVER
        return re.compile(rf"{home}|(?<!\w)(?:{groups})(?!\w)", re.IGNORECASE)

    def _players(self) -> set[str]:
        """Return the names of all who have played."""
        found = {
            seat.player
            for folder in self._folders
            for table in _tables_in(folder)
            for row in _rows_in(folder, table)
            for seat in _seats(_event(row))
        }
        merges = [one for folder in self._folders for one in read_names(folder).merges]
        found |= {name for one in merges for name in (one.name, one.into)}
        return {name.strip() for name in found if name.strip()}

    @property
    def _folders(self) -> frozenset[Path]:
        """Of all tables of the machine: its log has their names."""
        return frozenset((self._data, *folders_of(self._root)))

    def _texts(self, found: Iterable[Diagnosis]) -> Iterator[tuple[str, str]]:
        yield "doctor.json", "".join(f"{msgspec.json.encode(one).decode()}\n" for one in found)
        yield "versions.json", json.dumps(_versions())
        yield "settings.json", json.dumps(shown_settings(self._root))
        journal, reason = _journal()
        if journal:
            yield "journal.txt", journal
        missing = [f"journal.txt is not in it: {reason}"] if reason else []
        yield "files.txt", "".join(f"{line}\n" for line in (*self._files(), *missing))

    def _game(self, table: str) -> str:
        """Return the rows of a game, its players numbered; what else they are called stays: a name
        may also be the word of a rule.
        """
        lines = []
        for number, row in enumerate(_rows_in(self._data, table), 1):
            line = line_of(number, row)
            if NAMES not in self._shared:
                line = replace(line, event=_numbered(line.event))
            cleaned = _each(msgspec.to_builtins(line), self._without_addresses)
            lines.append(f"{msgspec.json.encode(cleaned).decode()}\n")
        return "".join(lines)

    def _files(self) -> Iterator[str]:
        """Yield the names and sizes of the files in the data folder, and what cannot be read."""
        try:
            paths = sorted(self._data.iterdir())
        except OSError as refusal:
            yield f"the data folder cannot be read: {refusal.strerror}"
            return
        for path in paths:
            try:
                size = path.stat().st_size
            except OSError as refusal:
                yield f"{path.name} cannot be read: {refusal.strerror}"
            else:
                yield f"{path.name} {size}" + ("" if os.access(path, os.R_OK) else ", not readable")

    def _pictures(self) -> Iterator[tuple[str, bytes]]:
        """Yield the boxes of dice, which hold pictures of their faces."""
        left = MOST_PICTURES
        for path in sorted((self._data / BOXES).glob("*")):
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= left:
                content = path.read_bytes()
                left -= len(content)
                yield f"boxes/{path.name}", content


def _tables_in(folder: Path) -> tuple[str, ...]:
    try:
        return saved_tables(folder / FILE_NAME)
    except (CannotOpenError, OSError):
        return ()


def _rows_in(folder: Path, table: str) -> tuple[StoredRow, ...]:
    try:
        return saved_rows(folder / FILE_NAME, table)
    except (CannotOpenError, OSError):
        return ()


def _each(value: object, clean: Callable[[str], str]) -> object:
    """Return a value of JSON with each of its texts cleaned."""
    match value:
        case str():
            return clean(value)
        case dict():
            return {name: _each(one, clean) for name, one in value.items()}
        case list() | tuple():
            return [_each(one, clean) for one in value]
    return value


def _users(data: Path) -> set[str]:
    """Return the names of who runs this, who asked sudo for it, and who owns the folder."""
    found = {Path.home().name, os.environ.get("SUDO_USER", "")}
    for name in (getpass.getuser, data.owner):
        with suppress(OSError, KeyError):
            found.add(name())
    return found


def _event(row: StoredRow) -> Record:
    event: Record = msgspec.json.decode(row.event, type=Record)
    return event


def _seats(event: Record) -> tuple[SeatSetup, ...]:
    return event.seats if isinstance(event, TableSet) else ()


def _numbered(event: Record) -> Record:
    """Return the event with numbers for the players' names."""
    if not isinstance(event, TableSet):
        return event
    seats = tuple(replace(seat, player=f"P{n}") for n, seat in enumerate(event.seats, 1))
    return replace(event, seats=seats)


def _versions() -> dict[str, str]:
    found = versions()
    return {
        "monster-table": found.package,
        "networks": found.networks,
        "python": platform.python_version(),
        "system": platform.platform(),
        "machine": platform.machine(),
    }


def _journal() -> tuple[str, str]:
    """Return what the service printed last, where systemd kept it; else "" and why it is not there.

    A user who may not read the journal is shown an empty one, with the reason on standard error.
    """
    program = shutil.which("journalctl")
    if program is None:
        return "", "there is no journalctl"
    command = [program, "--unit", UNIT, "--lines", str(LINES), "--no-pager", "--output=short-iso"]
    try:
        done = subprocess.run(
            [*command, "--no-hostname"], capture_output=True, timeout=ASK_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as failed:
        return "", f"journalctl did not work: {type(failed).__name__}"
    printed = done.stdout.decode(errors="replace")
    lines = printed if printed.strip() != NO_LINES and not done.returncode else ""
    said = " ".join(done.stderr.decode(errors="replace").split())
    return lines, "" if lines.strip() else f"it has no lines of {UNIT}. {said}".strip()

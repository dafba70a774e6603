"""The self-test of an installation: everything is there, dice are read, the log can be continued.

It changes nothing. An update runs it in the new version before that version serves a table.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path

import companion
from companion.cli.doctor.diagnoses import Diagnosis, Verdict, diagnosis
from companion.cli.doctor.reading import reads_dice
from companion.files import is_there
from companion.resources import LANGUAGES, resource_dir
from companion.table import Table
from companion.table.backup import copy_verified
from companion.table.database import FILE_NAME, CannotOpenError, DamagedError
from companion.table.log import EventLog

PACKAGE, DISTRIBUTION = "companion", "monster-table"
PAGES = ("index.html", "tv.html")


def installation() -> Iterator[Diagnosis]:
    """Yield what is found of the installation."""
    yield _imports()
    yield _files()
    yield reads_dice()


def _imports() -> Diagnosis:
    """Import every module, so that what a later page or command needs is known to be there.

    What only an extra needs may be missing.
    """
    count, reason = 0, _missing_requirement()
    for module in pkgutil.walk_packages(companion.__path__, f"{PACKAGE}."):
        try:
            importlib.import_module(module.name)
            count += 1
        except ModuleNotFoundError as missing:
            if str(missing.name).partition(".")[0] == PACKAGE:
                reason = f"{module.name}: {missing}"
        except (ImportError, AttributeError, OSError, SyntaxError, TypeError) as wrong:
            reason = f"{module.name}: {wrong}"
    if reason:
        return diagnosis("modules", Verdict.BAD, "modules_missing", reason=reason)
    return diagnosis("modules", Verdict.OK, "modules", number=count)


def _missing_requirement() -> str:
    """Return a package that this one always needs and that is not installed; "" for none."""
    try:
        needed = [one for one in requires(DISTRIBUTION) or () if "extra ==" not in one]
        for one in needed:
            distribution(re.split(r"[^A-Za-z0-9._-]", one, maxsplit=1)[0])
    except PackageNotFoundError as missing:
        return str(missing)
    return ""


def _files() -> Diagnosis:
    """Look for the pages and catalogues of the phone app."""
    expected = [resource_dir("webui") / page for page in PAGES]
    expected += [resource_dir("locales") / f"{language}.json" for language in LANGUAGES]
    missing = [path.name for path in expected if not path.is_file()]
    if missing:
        return diagnosis("files", Verdict.BAD, "files_missing", names=", ".join(missing))
    return diagnosis("files", Verdict.OK, "files", number=len(expected))


def log_continues(data: Path) -> Diagnosis:
    """Open a copy of the log and replay the game that is being played."""
    log = data / FILE_NAME
    if not is_there(log):
        return diagnosis("log", Verdict.OK, "no_log")
    try:
        with tempfile.TemporaryDirectory() as folder:
            copy_verified(log, Path(folder) / FILE_NAME)
            return _replayed(Path(folder))
    except (OSError, sqlite3.Error, DamagedError, CannotOpenError) as wrong:
        return diagnosis("log", Verdict.BAD, "log_broken", reason=str(wrong))


def _replayed(folder: Path) -> Diagnosis:
    table = Table(EventLog(folder))
    try:
        if table.set_aside:
            name, reason = table.set_aside[0]
            return diagnosis("log", Verdict.BAD, "log_refused", table=name, reason=reason.key)
        games = len(table.games())
        return diagnosis("log", Verdict.OK, "log", games=games, rows=table.snapshot().rev)
    finally:
        table.close()

"""A rule broken on purpose in a copy of the package, and whether its tests turn red there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.breaks.anchors import Sources, swapped

ROOT = Path(__file__).parent.parent.parent
ENGINE = Path("companion") / "engine"
BESIDE = ("models", "webui")
"""Folders that the package looks for beside itself."""

LONGEST_S = 120.0
SOME_FAILED = 1
"""What pytest exits with when it ran, and a test failed."""


class Colour(StrEnum):
    """How tests came out. NONE: they could not be run, or did not end."""

    GREEN = "green"
    RED = "red"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Change:
    """Other code instead of that which stands once within a function, class, constant or row."""

    where: str
    old: str
    new: str

    def made(self, sources: Sources) -> Sources:
        """Make the change. Raises `StaleChangeError` if it does not fit the sources."""
        return swapped(sources, self.where, self.old, self.new)


Break = tuple[Change, ...]
"""What breaks a rule: mostly one change."""


def swap(where: str, old: str, new: str) -> Break:
    """Break a rule by one change; `anchors.swapped` says how its three texts are read."""
    return (Change(where, old, new),)


@cache
def unbroken() -> Sources:
    """Read the sources of the rules, by their paths below the folder of the engine."""
    folder = ROOT / ENGINE
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*.py"))
    }


@cache
def changed_files(broken: Break) -> Sources:
    """Give the files that a break changes, with their changed text."""
    sources = unbroken()
    for change in broken:
        sources = change.made(sources)
    return {path: text for path, text in sources.items() if text is not unbroken()[path]}


def colour(tests: Sequence[str], broken: Break = ()) -> Colour:
    """How these tests (pytest's node ids) come out with the package changed so.

    The change is made in a copy; the working tree is only read. A test that fails for want of what
    the change took away counts as red too; one that never ends does not.
    """
    changed = changed_files(broken)
    with TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in BESIDE:
            (copy / name).symlink_to(ROOT / name)
        (copy / "companion").mkdir()
        _mirror(ROOT / "companion", copy / "companion", {str(ENGINE / path) for path in changed})
        for path, text in changed.items():
            (copy / ENGINE / path).write_text(text, "utf-8")
        return _run(tests, copy)


def _mirror(folder: Path, copy: Path, changed: Set[str]) -> None:
    """Fill the copy of a folder with links to all but the changed files, by their paths below ROOT.

    Folders above a change are real, and hold what is compiled, so nothing is written elsewhere.
    """
    for entry in folder.iterdir():
        path = str(entry.relative_to(ROOT))
        real = entry.name == "__pycache__" or any(one.startswith(f"{path}/") for one in changed)
        if real and entry.is_dir():
            (copy / entry.name).mkdir()
            _mirror(entry, copy / entry.name, changed)
        elif path not in changed:
            (copy / entry.name).symlink_to(entry)


def _run(tests: Sequence[str], copy: Path) -> Colour:
    pytest = (sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider")
    quiet = ("-q", "-x", "--no-header", "--tb=no", "-o", "pythonpath=")
    paths = {"PYTHONPATH": f"{copy}{os.pathsep}{ROOT}", "PYTEST_ADDOPTS": ""}
    try:
        done = subprocess.run(
            (*pytest, *quiet, *tests),
            cwd=ROOT,
            env=os.environ | paths | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Colour.NONE
    return {0: Colour.GREEN, SOME_FAILED: Colour.RED}.get(done.returncode, Colour.NONE)

"""A rule broken on purpose in a copy of the package, and whether its tests turn red there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory

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
    """One place of a source file of the rules, and what stands there instead."""

    file: str
    text: str
    instead: str

    def found(self, root: Path = ROOT) -> int:
        """How often the text stands in its file; anything but 1 is a change that went stale."""
        return (root / ENGINE / self.file).read_text("utf-8").count(self.text)

    def make(self, root: Path) -> None:
        """The file below `root` says the other thing. Fails unless the text stands there once."""
        assert self.found(root) == 1, f"{self.file}: {self.text!r} stands there {self.found(root)}×"
        path = root / ENGINE / self.file
        path.write_text(path.read_text("utf-8").replace(self.text, self.instead), "utf-8")


Break = tuple[Change, ...]
"""What breaks a rule: mostly one change."""


def put(file: str, text: str, instead: str) -> Break:
    """The rule is broken by one change."""
    return (Change(file, text, instead),)


def colour(tests: Sequence[str], broken: Break = ()) -> Colour:
    """How these tests (pytest's node ids) come out with the package changed so.

    The change is made in a copy; the working tree is only read. A test that fails for want of what
    the change took away counts as red too; one that never ends does not.
    """
    with TemporaryDirectory() as folder:
        copy = Path(folder)
        copytree(ROOT / "companion", copy / "companion", ignore=ignore_patterns("_data"))
        for name in BESIDE:
            (copy / name).symlink_to(ROOT / name)
        for change in broken:
            change.make(copy)
        return _run(tests, copy)


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

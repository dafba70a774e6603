"""The exceptions of vulture, which `make lint` runs: each is unused, and says why it stays."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "pyproject.toml").read_text("utf-8")
SETTINGS = tomllib.loads(TEXT)["tool"]["vulture"]


def test_each_allowed_name_is_still_unused() -> None:
    looked = Vulture(ignore_decorators=SETTINGS["ignore_decorators"])
    looked.scavenge([str(ROOT / path) for path in SETTINGS["paths"]])
    found = {each.name for each in looked.get_unused_code(SETTINGS["min_confidence"])}
    allowed = SETTINGS["ignore_names"]
    assert [one for one in allowed if not any(fnmatch(name, one) for name in found)] == []


def test_every_exception_has_its_reason() -> None:
    block = TEXT[TEXT.index("[tool.vulture]") : TEXT.index("[tool.importlinter]")]
    listed = [line for line in block.splitlines() if line.startswith('    "')]
    assert listed
    assert [line for line in listed if len(line.partition("  # ")[2]) < 10] == []

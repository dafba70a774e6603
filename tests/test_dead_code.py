"""Dead code: `make lint` finds it; the list of false positives is minimal."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["vulture"]
ALLOWED = SETTINGS["ignore_names"]


def unused(*paths: Path, names: list[str]) -> set[str]:
    """Return the names that nothing in these files uses, except those in `names`."""
    looked = Vulture(ignore_names=names, ignore_decorators=SETTINGS["ignore_decorators"])
    looked.scavenge([str(path) for path in paths])
    return {each.name for each in looked.get_unused_code(SETTINGS["min_confidence"])}


def test_each_allowed_name_is_still_unused_and_no_other_is() -> None:
    found = unused(*(ROOT / path for path in SETTINGS["paths"]), names=[])
    assert {name for name in found if not any(fnmatch(name, one) for one in ALLOWED)} == set()
    assert [one for one in ALLOWED if not any(fnmatch(name, one) for name in found)] == []


def test_every_exception_has_its_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    block = text[text.index("[tool.vulture]") : text.index("[tool.importlinter]")]
    listed = [line for line in block.splitlines() if line.startswith("    ") and '"' in line]
    assert len(listed) == len(ALLOWED) + len(SETTINGS["ignore_decorators"])
    assert [line for line in listed if len(line.partition("  # ")[2]) < 10] == []


def test_what_is_defined_and_never_used_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "def used(): ...\ndef forgotten(): ...\nclass Left:\n    gone = 1\n\nused()\n"
    )
    assert unused(module, names=ALLOWED) == {"forgotten", "Left", "gone"}

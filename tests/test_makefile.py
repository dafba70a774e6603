"""What `make` says when pip does not install."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = ("find", "grep", "tee")
"""All that the rule runs besides the shell; no compiler."""
COMPILER = "there is no compiler"


def installing(tmp_path: Path, said: str) -> str:
    """Return what `make install` prints if pip fails with these words and nobody has a `cc`."""
    tools, python = tmp_path / "tools", tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/bash\necho {said!r} >&2\nexit 1\n")
    python.chmod(0o755)
    tools.mkdir()
    for name in TOOLS:
        (tools / name).symlink_to(str(shutil.which(name)))
    make = shutil.which("make")
    assert make is not None
    done = subprocess.run(
        [make, "-C", str(ROOT), "install", f"VENV={tmp_path / 'venv'}"],
        env=os.environ | {"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert "pip says why above" in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "said",
    [
        "  ERROR: Failed building wheel for numpy",
        "  × Preparing metadata (pyproject.toml) did not run successfully.",
    ],
)
def test_a_package_that_is_not_built_asks_for_a_compiler(tmp_path: Path, said: str) -> None:
    assert COMPILER in installing(tmp_path, said)


@pytest.mark.parametrize(
    "said",
    [
        "ERROR: No matching distribution found for soupsieve==4.1.3",
        "  ERROR: Failed building editable for monster-table",
        "  × pip subprocess to install build dependencies did not run successfully.",
    ],
)
def test_another_reason_asks_for_none(tmp_path: Path, said: str) -> None:
    assert COMPILER not in installing(tmp_path, said)

"""The library that runs the networks tells nobody that it does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from companion.resources import resource_dir

READS = """
import sys
from pathlib import Path
from companion.forecast.network import forecaster
from companion.vision.networks.contract import load_session
load_session(Path(sys.argv[1]) / "detector.onnx", 1)
"""


def test_a_network_leaves_no_identifier_of_the_machine_in_the_home(tmp_path: Path) -> None:
    networks = resource_dir("models")
    # Where it believes to be tested the library keeps quiet by itself.
    watched = ("CI", "ORT_", "GITHUB_", "XDG_", "PYTEST_")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(watched)}
    variables |= {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", READS, str(networks)]
    subprocess.run(command, env=variables, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []

"""The commands are found by name, and each waits for nothing that another needs."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from companion.cli import main

HEAVY = {"cv2", "dask", "flask", "numpy", "onnxruntime", "paho", "uvicorn"}
"""What reads pictures, serves, or talks to others."""
SERVERS = {"demo": {"flask", "uvicorn"}, "hub": {"uvicorn"}, "serve": {"flask", "uvicorn"}}
"""The commands that serve, and what they import at once."""
PROGRAM = f"""
import sys
from companion.cli import main
asked_for = [main.commands[name] for name in sys.argv[1:]]
print(*sorted({HEAVY!r} & sys.modules.keys()))
"""


def imported(*names: str) -> set[str]:
    """Return which of HEAVY are imported where these commands are asked for."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *names], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("name", main.commands)
def test_a_command_is_listed_under_its_own_name(name: str) -> None:
    assert main.commands[name].name == name


@pytest.mark.parametrize("name", ["", "os:system", "__init__", "mqtt.hub:hub", "doctor.command"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    assert name not in main.commands
    ran = CliRunner().invoke(main, [name])
    assert (ran.exit_code, ran.output.count("\n")) == (2, 1)
    assert "No such command" in ran.output


def test_a_name_that_is_mistyped_is_refused_with_the_one_that_was_meant() -> None:
    ran = CliRunner().invoke(main, ["serv"])
    assert ran.exit_code == 2
    assert "Did you mean 'serve'?" in ran.output


def test_the_help_lists_every_command() -> None:
    ran = CliRunner().invoke(main, ["--help"])
    listed = [line.split()[0] for line in ran.output.partition("Commands:")[2].splitlines() if line]
    assert listed == sorted(main.commands)


def test_a_server_alone_imports_what_serves() -> None:
    assert imported() == set()
    assert imported(*(name for name in main.commands if name not in SERVERS)) == set()
    for name, needed in SERVERS.items():
        assert imported(name) == needed

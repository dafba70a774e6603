"""The commands are found by name, and each waits for nothing that another needs."""

from __future__ import annotations

import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from companion.cli import SECTIONS, main
from companion.cli.options import (
    Folder,
    Game,
    InputFile,
    LaterFile,
    OneOf,
    OutputFile,
    Share,
    Whole,
)

HEAVY = {"cv2", "dask", "flask", "numpy", "onnxruntime", "paho", "uvicorn"}
"""What reads pictures, serves, or talks to others."""
SERVERS = ("demo", "hub", "serve")
"""The commands that serve at once."""
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


@pytest.mark.parametrize("name", ["", "os:system", "__init__", "rules:cards", "doctor.command"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    assert name not in main.commands
    ran = CliRunner().invoke(main, [name])
    assert (ran.exit_code, ran.output.count("\n")) == (2, 1)
    assert f"companion has no command “{name}”." in ran.output


def described() -> dict[str, click.Command]:
    """Return every command and group by what is typed for it."""
    found: dict[str, click.Command] = {"": main}
    for name, command in main.commands.items():
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {each}": one for each, one in command.commands.items()}
    return found


def test_the_help_lists_every_command_below_a_heading() -> None:
    lines = CliRunner().invoke(main, ["--help"]).output.splitlines()
    begins = [lines.index(f"{heading}:") for heading in SECTIONS]
    assert begins == sorted(begins)
    listed = [line.split()[0] for line in lines[begins[0] :] if line.startswith("  ")]
    assert [name for name in listed if name in main.commands] == list(main.commands)


@pytest.mark.parametrize("typed", described())
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_fits_its_lines_and_is_not_cut(typed: str, option: str) -> None:
    ran = CliRunner(env={"COLUMNS": "80"}).invoke(main, [*typed.split(), option])
    assert ran.exit_code == 0
    assert max(map(len, ran.output.splitlines())) <= 80
    assert "..." not in ran.output.replace("[ARGS]...", "").replace("IMAGE...", "")
    command = described()[typed]
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            assert re.search(rf"^  {name} +\S.*\.$", ran.output, re.MULTILINE), name
            assert each.get_short_help_str(1000) in ran.output


@pytest.mark.parametrize("typed", [typed for typed in described() if typed])
def test_a_command_gives_an_example_of_itself(typed: str) -> None:
    assert re.match(rf"Example: (sudo )?companion {typed}\b", described()[typed].epilog or "")


@pytest.mark.parametrize("typed", described())
def test_every_value_is_of_a_kind_that_says_what_it_takes(typed: str) -> None:
    """click's own kinds of numbers, choices and paths would answer in its words."""
    own = (Folder, Game, InputFile, LaterFile, OneOf, OutputFile, Share, Whole)
    for parameter in described()[typed].params:
        is_text = isinstance(parameter.type, click.types.StringParamType)
        is_free = isinstance(parameter, click.Option) and (parameter.is_flag or parameter.hidden)
        assert is_free or is_text or isinstance(parameter.type, own), parameter.name
        if isinstance(parameter, click.Option) and is_text and not parameter.hidden:
            assert parameter.metavar, f"{parameter.name} is no TEXT"


def test_a_server_alone_imports_what_serves() -> None:
    assert imported() == set()
    assert imported(*(name for name in main.commands if name not in SERVERS)) == set()
    assert imported(*SERVERS) == {"flask", "uvicorn"}

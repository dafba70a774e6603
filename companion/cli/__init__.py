"""The command `companion` and its subcommands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

import click

from companion.cli.options import CommandGroup, register_games

SECTIONS: Final = {
    "Play": {
        "serve": "serve:serve",
        "demo": "serve:demo",
        "hub": "serve:hub",
    },
    "Set up": {
        "setup": "doctor:setup",
        "doctor": "doctor:doctor",
        "calibrate": "vision:calibrate",
    },
    "Data": {
        "backup": "data:backup",
        "restore": "data:restore",
        "export": "data:export",
        "log": "data:log",
    },
    "For developers": {
        "read": "vision:read",
        "watch": "vision:watch",
        "play": "play:play",
        "replay": "play:replay_log",
        "simulate": "rules:simulate",
        "cards": "rules:cards",
    },
}
"""By the headings of the help: the module of each command below this package, and its function."""
PLACES: Final = {name: place for section in SECTIONS.values() for name, place in section.items()}


class Commands(Mapping[str, click.Command]):
    """The commands of PLACES, each imported when it is asked for, so that none waits for what
    another needs.
    """

    def __getitem__(self, name: str) -> click.Command:
        module, _, function = PLACES[name].partition(":")
        command: click.Command = getattr(import_module(f"{__name__}.{module}"), function)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


@click.group(
    "companion",
    cls=CommandGroup,
    commands=Commands(),
    sections={heading: list(section) for heading, section in SECTIONS.items()},
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="companion COMMAND --help says more about a command and gives an example.",
)
@click.version_option(package_name="monster-table", message="companion %(version)s")
def main() -> None:
    """Play King of Tokyo and King of New York with real dice that a camera reads."""
    register_games()

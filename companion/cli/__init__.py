"""The command `companion` and its subcommands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

import click

from companion.cli.options import CommandGroup, register_games

SECTIONS: Final = {
    "Play": {"serve": "serve", "demo": "serve", "hub": "serve"},
    "Set up": {"setup": "doctor", "doctor": "doctor", "calibrate": "vision"},
    "Data": {"backup": "data", "restore": "data", "export": "data", "log": "data"},
    "For developers": {
        "read": "vision",
        "watch": "vision",
        "play": "play",
        "replay": "play",
        "simulate": "rules",
        "cards": "rules",
    },
}
"""By the headings of the help: each command, and the module of this package that has it."""
PLACES: Final = {name: place for section in SECTIONS.values() for name, place in section.items()}


class Commands(Mapping[str, click.Command]):
    """The commands of PLACES, each imported when it is asked for, so that none waits for what
    another needs.
    """

    def __getitem__(self, name: str) -> click.Command:
        command: click.Command = getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
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
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog="companion COMMAND --help says more about a command and gives an example.",
)
@click.version_option(package_name="monster-table", message="companion %(version)s")
def main() -> None:
    """Play King of Tokyo and King of New York with real dice that a camera reads."""
    register_games()

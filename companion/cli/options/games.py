"""The option `--game`, and registering the games of other packages."""

from __future__ import annotations

from typing import Any

import click

from companion.cli.words import refuse, sentence
from companion.engine import RULESETS
from companion.games import load_games


class GameOption(click.Option):
    """An option whose help lists the games registered when it is shown."""

    def __init__(self, *names: Any, **given: Any) -> None:
        super().__init__(*names, **given)
        self._template = self.help or "{games}"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option's name and help."""
        self.help = self._template.format(games=", ".join(RULESETS))
        return super().get_help_record(ctx)


required_game = click.option("--game", cls=GameOption, required=True, help="One of: {games}.")
game_of_pictures = click.option(
    "--game", cls=GameOption, help="One of: {games}. Reports need none: the game is in them."
)


def known_game(name: str) -> str:
    """Return the game's name; end the command where it is unknown."""
    if name not in RULESETS:
        refuse("error.unknown_game", game=name, known=", ".join(RULESETS))
    return name


def register_games() -> None:
    """Register the games of other packages; print one line for each that is skipped."""
    for one in load_games():
        line = sentence(
            "error.game_left_out", game=one.name, package=one.package, reason=one.reason
        )
        click.echo(line, err=True)

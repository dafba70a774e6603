"""The option `--game`, and the games that other packages bring."""

from __future__ import annotations

from typing import Any

import click

from companion.cli.words import refuse, sentence
from companion.engine import RULESETS
from companion.games import load_games


class GameOption(click.Option):
    """An option whose help names the games that there are when it is shown."""

    def __init__(self, *names: Any, **given: Any) -> None:
        super().__init__(*names, **given)
        self._template = self.help or "{games}"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and what it is for."""
        self.help = self._template.format(games=", ".join(RULESETS))
        return super().get_help_record(ctx)


required_game = click.option("--game", cls=GameOption, required=True, help="One of: {games}.")


def known_game(name: str) -> str:
    """Return the name of a game; ends the command where there is none of that name."""
    if name not in RULESETS:
        refuse("error.unknown_game", game=name, known=", ".join(RULESETS))
    return name


def find_games() -> None:
    """Register the games of other packages; say in a line each which are left out, and why."""
    for one in load_games():
        said = sentence(
            "error.game_left_out", game=one.name, package=one.package, reason=one.reason
        )
        click.echo(said, err=True)

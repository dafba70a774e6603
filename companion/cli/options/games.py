"""The option `--game`, and registering the games of other packages."""

from __future__ import annotations

import re
from typing import Any, Final

import click

from companion.cli.options.values import Number
from companion.cli.words import refuse, sentence
from companion.engine import RULESETS
from companion.games import load_games


class Game(click.ParamType[str]):
    """The name of a game or its box, in any case, the words joined by anything."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name as the rules have it. BadParameter if no game has it."""
        known = {_letters(sentence(f"game.{name}")): name for name in RULESETS}
        known |= {_letters(name): name for name in RULESETS}
        found = known.get(_letters(value))
        if found is None:
            self.fail(_unknown(value), param, ctx)
        return found

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return all names, also of games that other packages add."""
        return f"[{'|'.join(RULESETS)}]"

    def get_missing_message(self, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return which games there are."""
        return sentence("error.usage.choose", choices=", ".join(RULESETS))


class Players(Number):
    """A number of players for which there is a box."""

    def __init__(self) -> None:
        super().__init__(1, 1)

    def bounds(self) -> tuple[int, int]:
        """Return the fewest and the most players of all boxes."""
        boxes = RULESETS.values()
        return min(one.players_min for one in boxes), max(one.players_max for one in boxes)


GAME: Final = Game()
required_game = click.option("--game", type=GAME, required=True, help="Which game.")
game_of_pictures = click.option(
    "--game", type=GAME, help="Which game. Reports of misread rolls need none."
)


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _unknown(name: str) -> str:
    return sentence("error.unknown_game", game=name, known=", ".join(RULESETS))


def known_game(name: str) -> str:
    """Return the game's name; end the command if it is unknown: settings may name any."""
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

"""The command `companion`: parse, call, print."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any, NoReturn

import click

from companion.cli.calibrate import calibrate
from companion.cli.data import backup, log, restore
from companion.cli.games import find_games
from companion.cli.history import audit_log, replay_log
from companion.cli.output import UNHEARD, failed_to_print, give_up_unprinted
from companion.cli.play import FAILED, play
from companion.cli.rules import cards, simulate
from companion.cli.serve import serve
from companion.cli.vision import read, watch
from companion.cli.words import refuse, sentence


class OneLine(click.Group):
    """Commands whose wrong usage is one line: what is wrong, and where it says how (exit 2). So is
    output that cannot be printed (exit 1).
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        """The command is carried out; its exit status stands whether all could be printed or not,
        unless printing was what it is for.
        """
        try:
            return super().main(*args, **extra)
        except OSError as failed:
            if not failed_to_print(failed):
                raise
            with suppress(*UNHEARD):
                reason = failed.strerror or ""
                click.echo(sentence("error.cannot_print", reason=reason), err=True)
            sys.exit(FAILED)
        finally:
            give_up_unprinted()

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """The context of what was typed; without a word, the help."""
        if not args:
            return super().make_context(info_name, args, parent, **extra)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as wrong:
            _refused(wrong)

    def invoke(self, ctx: click.Context) -> Any:
        """The command that was typed is carried out."""
        try:
            return super().invoke(ctx)
        except click.UsageError as wrong:
            _refused(wrong)


def _refused(wrong: click.UsageError) -> NoReturn:
    typed = wrong.ctx.command_path if wrong.ctx is not None else main.name
    refuse("error.usage", reason=wrong.format_message(), command=typed or "")


@click.group(cls=OneLine, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Monster Table: a companion for King of New York and King of Tokyo on a real table."""
    find_games()


for command in (
    serve,
    read,
    watch,
    calibrate,
    cards,
    simulate,
    play,
    replay_log,
    audit_log,
    log,
    backup,
    restore,
):
    main.add_command(command)

"""The command `companion` and its subcommands."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any, NoReturn

import click

from companion.cli.calibrate import calibrate
from companion.cli.data import backup, export, log, print_statistics, restore
from companion.cli.doctor.command import doctor
from companion.cli.history import audit_log, print_forecast, replay_log
from companion.cli.mqtt.hub import hub
from companion.cli.options.games import register_games
from companion.cli.output import CANNOT_PRINT, discard_unprinted, failed_to_print
from companion.cli.play import play
from companion.cli.rules import cards, simulate
from companion.cli.serve import serve
from companion.cli.setup.command import setup
from companion.cli.tables.commands import tables
from companion.cli.update.command import update
from companion.cli.vision import read, watch
from companion.cli.words import FAILED, refuse, sentence


class OneLineErrors(click.Group):
    """A command group that reports wrong usage (exit 2) and failed output (exit 1) in one line."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command; its exit status is kept where only the last output could not
        be flushed.
        """
        try:
            return super().main(*args, **extra)
        except OSError as failed:
            if not failed_to_print(failed):
                raise
            with suppress(*CANNOT_PRINT):
                reason = failed.strerror or ""
                click.echo(sentence("error.cannot_print", reason=reason), err=True)
            sys.exit(FAILED)
        finally:
            discard_unprinted()

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Parse the arguments; without any, show the help."""
        if not args:
            return super().make_context(info_name, args, parent, **extra)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as wrong:
            _refuse_usage(wrong)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except click.UsageError as wrong:
            _refuse_usage(wrong)


def _refuse_usage(wrong: click.UsageError) -> NoReturn:
    typed = wrong.ctx.command_path if wrong.ctx is not None else main.name
    refuse("error.usage", reason=wrong.format_message(), command=typed or "")


@click.group(cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="monster-table", message="companion %(version)s")
def main() -> None:
    """Monster Table: a companion for King of New York and King of Tokyo on a real table."""
    register_games()


for command in (
    serve,
    hub,
    read,
    watch,
    calibrate,
    cards,
    simulate,
    play,
    replay_log,
    audit_log,
    setup,
    doctor,
    update,
    log,
    backup,
    restore,
    export,
    print_forecast,
    print_statistics,
    tables,
):
    main.add_command(command)

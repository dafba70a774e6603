"""The command `companion` and its subcommands."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from companion.cli.options.games import register_games
from companion.cli.output import CANNOT_PRINT, discard_unprinted, failed_to_print
from companion.cli.words import FAILED, refuse, sentence

PLACES: Final = {
    "audit": "history:audit_log",
    "backup": "data:backup",
    "calibrate": "calibrate:calibrate",
    "cards": "rules:cards",
    "demo": "demo:demo",
    "doctor": "doctor.command:doctor",
    "export": "data:export",
    "forecast": "history:print_forecast",
    "hub": "mqtt.hub:hub",
    "log": "data:log",
    "play": "play:play",
    "read": "vision:read",
    "replay": "history:replay_log",
    "restore": "data:restore",
    "serve": "serve:serve",
    "setup": "setup.command:setup",
    "simulate": "rules:simulate",
    "statistics": "data:print_statistics",
    "tables": "tables.commands:tables",
    "update": "update.command:update",
    "watch": "vision:watch",
}
"""The module of each command below this package, and its function there."""


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


@click.group(
    cls=OneLineErrors, commands=Commands(), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="monster-table", message="companion %(version)s")
def main() -> None:
    """Monster Table: a companion for King of New York and King of Tokyo on a real table."""
    register_games()

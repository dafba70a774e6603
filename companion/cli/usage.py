"""Groups of commands: their help, and whatever ends a command in one line with cause and remedy.

What click says of wrong usage, and what the library refuses, is put into the words of the catalogue
here, in one place.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import click

from companion.cli.options import name_of, refuse_unreadable, values_of
from companion.cli.words import FAILED, discard_unprinted, refuse, refuse_by, sentence, tell
from companion.errors import KeyedError

EXAMPLE: Final = "Example: "
"""Begins the last line of a command's help."""
_ASKED_FOR: Final = "companion.asked_for"
_EXTRA: Final = re.compile(r"\((.*)\)", re.DOTALL)


class CommandGroup(click.Group):
    """A group of commands that reports wrong usage (exit 2) and failed output (exit 1) in one line.

    `sections`: the names of its commands under the headings of its help; by default one section.
    """

    def __init__(
        self, *given: Any, sections: Mapping[str, Sequence[str]] | None = None, **named: Any
    ) -> None:
        super().__init__(*given, **named)
        self._sections = sections

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command; keep its exit status even if the last output could not be flushed."""
        try:
            return super().main(*args, **{"prog_name": self.name, **extra})
        finally:
            discard_unprinted()

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Parse the arguments; without any, show the help of the whole program."""
        if not args and parent is None:
            return super().make_context(info_name, args, parent, **extra)
        with _refusing(info_name or "", self):
            return super().make_context(info_name, args, parent, **extra)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and note it: click's parser does not say whose option is wrong."""
        name, command, rest = super().resolve_command(ctx, args)
        ctx.meta[_ASKED_FOR] = f"{ctx.command_path} {name}", command
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        with _refusing(ctx.command_path, self, ctx.meta):
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each command, its first sentence uncut, below the sections' headings."""
        widest = max(map(len, self.commands))
        for heading, names in (self._sections or {"Commands": self.list_commands(ctx)}).items():
            helps = {name: self.commands[name].get_short_help_str(limit=1000) for name in names}
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), text) for name, text in helps.items()])


@contextmanager
def _refusing(
    path: str, command: click.Command, asked_for: Mapping[str, Any] | None = None
) -> Iterator[None]:
    """End the program with one line for what this command, or the one `asked_for`, refuses."""
    try:
        yield
    except click.UsageError as wrong:
        if wrong.ctx is not None:
            path, command = wrong.ctx.command_path, wrong.ctx.command
        elif asked_for is not None:
            path, command = asked_for.get(_ASKED_FOR, (path, command))
        refuse_by(" ".join(_cause_and_remedy(wrong, path, command)))
    except KeyedError as wrong:
        refuse(wrong.key, **wrong.params)
    except OSError as failed:
        *_, (frame, _) = traceback.walk_tb(failed.__traceback__)
        if frame.f_code is click.echo.__code__:
            tell("error.cannot_print", reason=failed.strerror or "")
            sys.exit(FAILED)
        if failed.filename is None:
            raise
        refuse_unreadable(Path(str(failed.filename)), failed)


def _cause_and_remedy(
    wrong: click.UsageError, path: str, command: click.Command
) -> tuple[str, ...]:
    """Return the sentences for wrong usage of the command that is typed as `path`."""
    look = sentence("error.usage.look", path=path)
    match wrong:
        case click.exceptions.NoArgsIsHelpError():
            assert isinstance(command, click.Group)  # no other has no_args_is_help
            choices = sentence("error.usage.choose", choices=", ".join(command.commands))
            return sentence("error.usage.no_command", path=path), choices
        case click.NoSuchCommand(command_name=typed, possibilities=meant):
            cause = sentence("error.usage.unknown_command", path=path, typed=typed)
            return cause, _meant(meant) or look
        case click.NoSuchOption(option_name=typed):
            known = [option for one in command.params for option in one.opts]
            cause = sentence("error.usage.unknown_option", path=path, typed=typed)
            return cause, _meant(get_close_matches(typed, known, 1)) or look
        case click.MissingParameter(param=click.Parameter() as missing):
            cause = sentence("error.usage.missing", name=name_of(missing))
            example = (command.epilog or "").removeprefix(EXAMPLE)
            shown = sentence("error.usage.example", example=example) if example else look
            return cause, values_of(missing.type) or shown
        case click.BadParameter():  # by a type of `options`
            return (wrong.message,)
        case click.BadOptionUsage(option_name=typed):
            option = next((one for one in command.params if typed in one.opts), None)
            if isinstance(option, click.Option) and not option.is_flag:
                return sentence("error.usage.no_value", name=typed), values_of(option.type) or look
            return (sentence("error.usage.takes_none", name=typed),)
        case _ if extra := _EXTRA.search(wrong.message):
            return (sentence("error.usage.extra", path=path, given=extra[1]),)
        case _:  # nothing but `--`, which ends the options
            return sentence("error.usage.no_command", path=path), look


def _meant(names: Sequence[str] | None) -> str:
    return sentence("error.usage.meant", name=names[0]) if names else ""

"""Groups of commands: their help, and wrong usage in one line that names its cause and its remedy.

What click says of wrong usage is put into the words of the catalogue here, in one place.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import Any, Final, NoReturn

import click

from companion.cli.output import CANNOT_PRINT, discard_unprinted, failed_to_print
from companion.cli.words import FAILED, refuse_by, sentence

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
        """Parse the arguments; without any, show the help of the whole program."""
        if not args and parent is None:
            return super().make_context(info_name, args, parent, **extra)
        with _refusing_wrong_usage(info_name or "", self):
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
        with _refusing_wrong_usage(ctx.command_path, self, ctx.meta):
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each command, under the headings of the sections."""
        widest = max(map(len, self.commands))
        for heading, names in (self._sections or {"Commands": self.list_commands(ctx)}).items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), self._summary(name)) for name in names])

    def _summary(self, name: str) -> str:
        """Return the first sentence of a command's help, uncut."""
        return self.commands[name].get_short_help_str(limit=1000)


@contextmanager
def _refusing_wrong_usage(
    path: str, command: click.Command, asked_for: Mapping[str, Any] | None = None
) -> Iterator[None]:
    """End the program with one line for wrong usage of this command, or the one `asked_for`."""
    try:
        yield
    except click.UsageError as wrong:
        if wrong.ctx is not None:
            path, command = wrong.ctx.command_path, wrong.ctx.command
        elif asked_for is not None:
            path, command = asked_for.get(_ASKED_FOR, (path, command))
        refuse_by(" ".join(_cause_and_remedy(wrong, path, command)))


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
            return cause, _values(missing) or _example(command) or look
        case click.BadParameter():  # by a type of `options.values`
            return (wrong.message,)
        case click.BadOptionUsage(option_name=typed):
            option = next((one for one in command.params if typed in one.opts), None)
            if isinstance(option, click.Option) and not option.is_flag:
                return sentence("error.usage.no_value", name=typed), _values(option) or look
            return (sentence("error.usage.takes_none", name=typed),)
        case _ if extra := _EXTRA.search(wrong.message):
            return (sentence("error.usage.extra", path=path, given=extra[1]),)
        case _:  # nothing but `--`, which ends the options
            return sentence("error.usage.no_command", path=path), look


def _meant(names: Sequence[str] | None) -> str:
    return sentence("error.usage.meant", name=names[0]) if names else ""


def _values(parameter: click.Parameter) -> str:
    """Return what the parameter takes; "" if its type does not know."""
    return parameter.type.get_missing_message(parameter, None) or ""


def _example(command: click.Command) -> str:
    """Return the example of a command's help as a sentence; "" if it has none."""
    example = (command.epilog or "").removeprefix(EXAMPLE)
    return sentence("error.usage.example", example=example) if example else ""


def name_of(parameter: click.Parameter) -> str:
    """Return what people call a parameter: the long name of an option, the word of an argument."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return (parameter.metavar or parameter.human_readable_name).rstrip(".…")


def refuse_without(option: str, other: str) -> NoReturn:
    """End the command: an option was given that works only with another."""
    refuse_by(sentence("error.usage.needs", option=option, other=other))


def refuse_both(option: str, other: str) -> NoReturn:
    """End the command: two options were given that exclude each other."""
    refuse_by(sentence("error.usage.both", option=option, other=other))

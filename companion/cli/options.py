"""What commands take beyond click's own kinds (files, folders, games), and how wrong usage ends
them: in one line with cause and remedy.
"""

from __future__ import annotations

import errno
import os
import pwd
import re
import stat
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import click

from companion.cli.words import (
    FAILED,
    discard_unprinted,
    plain_reason,
    refuse,
    refuse_by,
    sentence,
    tell,
)
from companion.engine import RULESETS
from companion.errors import KeyedError
from companion.games import load_games
from companion.service.settings import FILE_NAME as SETTINGS
from companion.service.settings import WrongSettingsError
from companion.table.database import FILE_NAME

STANDARD: Final = Path("-")
"""Stands for standard input or output."""
DATA_VARIABLE: Final = "MONSTER_TABLE_DATA"
"""Names the data folder of every command; an installation for a whole machine sets it."""
UNIT: Final = "monster-table"
"""The package's service."""
MQTT_SETTINGS: Final = "mqtt.toml"
"""The file in the data folder that switches MQTT on."""
TABLES: Final = "tables"
"""In its data folder: those of further tables, each served by `monster-table@NAME`."""

Context = click.Context | None
Parameter = click.Parameter | None


# -- what is wrong with a path --------------------------------------------------------------------


def owner_name(user: int) -> str:
    """Return the name of a user, or what sudo takes in its place."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"'#{user}'"


def why_unreadable(path: Path, refusal: OSError) -> str:
    """Return why the path cannot be opened, and what to do."""
    match refusal.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return sentence("error.file.missing", path=str(path))
        case errno.EISDIR:
            return sentence("error.file.is_folder", path=str(path))
        case errno.EACCES:
            return _closed(path)
    reason = refusal.strerror or str(refusal)
    return sentence("error.unreadable", path=str(path), reason=reason)


def why_no_folder(path: Path) -> str:
    """Return why this folder cannot be used or made, and what to do; "" if nothing is known."""
    try:
        place, status = _nearest(path)
    except OSError as refusal:
        return why_unreadable(path, refusal)
    if not stat.S_ISDIR(status.st_mode):
        return sentence("error.folder.is_file", path=str(place))
    is_open = place != path or os.access(path, os.R_OK | os.X_OK, effective_ids=True)
    return "" if is_open else _closed(path)


def _nearest(path: Path) -> tuple[Path, os.stat_result]:
    """Return the path, or the first place above it that exists, with its status. Raises OSError if
    it may not be looked at.
    """
    for place in (path, *path.absolute().parents):
        with suppress(FileNotFoundError, NotADirectoryError):
            return place, place.stat()
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def why_unwritable(path: Path) -> str:
    """Return why this is no place for a file, and what to do; "" if a new one or an ordinary one
    can be there, or it is standard output.
    """
    if path == STANDARD:
        return ""
    folder = path.parent
    if not folder.is_dir():
        return why_no_folder(folder) or sentence("error.folder.missing", path=str(folder))
    if path.is_dir():
        return sentence("error.file.is_folder", path=str(path))
    is_free = path.is_file() or not path.exists()
    return "" if is_free else sentence("error.file.special", path=str(path))


def _closed(path: Path) -> str:
    """Return who may open the path: the owner of the last place on the way that can be seen."""
    for place in (path, *path.absolute().parents):
        try:
            user = owner_name(place.stat().st_uid)
        except OSError:
            continue
        return sentence("error.file.closed", path=str(path), user=user)
    return sentence("error.unreadable", path=str(path), reason=os.strerror(errno.EACCES))


# -- kinds of values ------------------------------------------------------------------------------


class _Place(click.ParamType[Path]):
    """A path that was typed, refused if `fault` says why it cannot be used."""

    def __init__(self, name: str, fault: Callable[[Path], str]) -> None:
        self.name = name
        self._fault = fault

    def convert(self, value: Any, param: Parameter, ctx: Context) -> Path:
        """Return the path. An empty one would be the working folder."""
        if not str(value):
            raise click.MissingParameter(ctx=ctx, param=param)
        if wrong := self._fault(path := Path(value)):
            refuse_by(wrong)
        return path


INPUT_FILE: Final = click.Path(path_type=Path)
"""A file to read: whatever opens it refuses it."""
OUTPUT_FILE: Final = _Place("FILE", why_unwritable)
FOLDER: Final = _Place("FOLDER", why_no_folder)
"""A folder, which may be made yet."""


# -- games ----------------------------------------------------------------------------------------


class Game(click.ParamType[str]):
    """The name of a game or its box, in any case, the words joined by anything."""

    name = "game"

    def convert(self, value: Any, param: Parameter, ctx: Context) -> str:
        """Return the name as the rules have it; end the command if no game has it."""
        known = {_letters(sentence(f"game.{name}")): name for name in RULESETS}
        known |= {_letters(name): name for name in RULESETS}
        found = known.get(_letters(value))
        if found is None:
            refuse("error.unknown_game", game=value, known=", ".join(RULESETS))
        return found

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return all names, also of games that other packages add."""
        return f"[{'|'.join(RULESETS)}]"


GAME: Final = Game()
required_game = click.option("--game", type=GAME, required=True, help="Which game.")


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def register_games() -> None:
    """Register the games of other packages; print one line for each that is skipped."""
    for one in load_games():
        params = {"game": one.name, "package": one.package, "reason": one.reason}
        click.echo(sentence("error.game_left_out", **params), err=True)


# -- the data folder ------------------------------------------------------------------------------

DATA = click.option(
    "--data", type=FOLDER, metavar="DIR", help="The data folder; by default that of serve."
)


def default_data() -> Path:
    """Return the data folder if none is named: see docs/install.md."""
    if folder := os.environ.get(DATA_VARIABLE):
        return Path(folder)
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "monster-table"


def unit_of(folder: Path) -> str:
    """Return the service of the package that has its games in this folder."""
    place = folder.absolute()
    return f"{UNIT}@{place.name}" if place.parent.name == TABLES else UNIT


def setup_of(folder: Path) -> str:
    """Return the command that shows how to join the table of this folder."""
    place = folder.absolute()
    return "companion setup" + (f" --data {place}" if place.parent.name == TABLES else "")


def data_folder(data: Path | None) -> Path:
    """Return the data folder that a command is about: the one given, or that of serve.

    Ends the command if the folder is a file or closed to this user, or if this is root and the
    folder, or the one it would be made in, belongs to another user: the service of that user could
    not open what root makes there.
    """
    folder = data or default_data()
    if wrong := why_no_folder(folder):
        refuse_by(wrong)
    place, status = _nearest(folder)
    if os.geteuid() == 0 and status.st_uid != 0:
        refuse("error.not_as_root", path=str(place), user=owner_name(status.st_uid))
    return folder


def games_folder(data: Path | None) -> Path:
    """Return the data folder as `data_folder` does; end the command if no game is kept there."""
    folder = data_folder(data)
    try:
        (folder / FILE_NAME).stat()
    except FileNotFoundError:
        refuse("error.no_games", path=str(folder))
    return folder


def why_wrong_settings(folder: Path, wrong: WrongSettingsError) -> str:
    """Return why the settings of a data folder cannot be used, and what to do."""
    path = folder / SETTINGS
    if isinstance(wrong.__cause__, PermissionError):
        return _closed(path)
    return sentence("error.settings", path=str(path), reason=plain_reason(str(wrong)))


# -- how commands end -----------------------------------------------------------------------------


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
        with _refusing(info_name or ""):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        with _refusing(ctx.command_path):
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each command, its first sentence uncut, below the sections' headings."""
        widest = max(map(len, self.commands))
        for heading, names in (self._sections or {"Commands": self.list_commands(ctx)}).items():
            helps = {name: self.commands[name].get_short_help_str(limit=1000) for name in names}
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), text) for name, text in helps.items()])


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    """End the program with one line for what the command that is typed as `path` refuses."""
    try:
        yield
    except click.UsageError as wrong:
        if wrong.ctx is not None:
            path = wrong.ctx.command_path
        no_command = isinstance(wrong, click.exceptions.NoArgsIsHelpError)
        cause = "Missing command." if no_command else wrong.format_message()
        stop = "" if cause.endswith((".", "?")) else "."
        refuse_by(f"{cause}{stop} {sentence('error.usage.look', path=path)}")
    except KeyedError as wrong:
        refuse(wrong.key, **wrong.params)
    except OSError as failed:
        *_, (frame, _) = traceback.walk_tb(failed.__traceback__)
        if frame.f_code is click.echo.__code__:
            tell("error.cannot_print", reason=failed.strerror or "")
            sys.exit(FAILED)
        if failed.filename is None:
            raise
        refuse_by(why_unreadable(Path(str(failed.filename)), failed))

"""What options and arguments take: numbers, choices, files, folders. A wrong one is refused with
its cause and its remedy, before the command begins.
"""

from __future__ import annotations

import errno
import os
import pwd
import stat
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from companion.cli.usage import name_of
from companion.cli.words import refuse_by, sentence

STANDARD: Final = Path("-")
"""Stands for standard input or output."""
_FORBIDDEN: Final = os.strerror(errno.EACCES)


def owner_name(user: int) -> str:
    """Return the name of a user, or what sudo takes in its place."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"'#{user}'"


# -- what is wrong with a path --------------------------------------------------------------------


def why_unreadable(path: Path, folder: str = "") -> str:
    """Return why this is no file to read, and what to do; "" if it is one. `folder`: the key of the
    sentence for a folder, "" if one will do.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return sentence("error.file.missing", path=str(path))
    except PermissionError:
        return _closed(path)
    except OSError as refusal:
        return sentence("error.unreadable", path=str(path), reason=refusal.strerror or "")
    if stat.S_ISDIR(status.st_mode) and folder:
        return sentence(folder, path=str(path))
    return "" if _may(path, os.R_OK) else _closed(path)


def why_unwritable(path: Path) -> str:
    """Return why no file can be written there, and what to do; "" if one can."""
    folder = path.parent
    try:
        if not stat.S_ISDIR(folder.stat().st_mode):
            return sentence("error.folder.is_file", path=str(folder))
        if path.exists() and not path.is_file():
            key = "error.file.is_folder" if path.is_dir() else "error.file.special"
            return sentence(key, path=str(path))
    except (FileNotFoundError, NotADirectoryError):
        return why_no_folder(folder) or sentence("error.folder.missing", path=str(folder))
    except OSError as refusal:
        return sentence("error.cannot_save", path=str(path), reason=refusal.strerror or "")
    if _may(folder, os.W_OK | os.X_OK):
        return ""
    return sentence("error.cannot_save", path=str(path), reason=_FORBIDDEN)


def why_no_folder(path: Path) -> str:
    """Return why this folder cannot be used or made, and what to do; "" if nothing is known to be
    in the way.
    """
    for place in (path, *path.absolute().parents):
        try:
            status = place.stat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError:
            return _closed(path)
        except OSError as refusal:
            return sentence("error.unreadable", path=str(path), reason=refusal.strerror or "")
        if not stat.S_ISDIR(status.st_mode):
            return sentence("error.folder.is_file", path=str(place))
        is_open = place != path or _may(path, os.R_OK | os.X_OK)
        return "" if is_open else _closed(path)
    return ""


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=True)


def _closed(path: Path) -> str:
    """Return who may open the path: the owner of the last place on the way that can be seen."""
    for place in (path, *path.absolute().parents):
        try:
            user = owner_name(place.stat().st_uid)
        except OSError:
            continue
        return sentence("error.file.closed", path=str(path), user=user)
    return sentence("error.unreadable", path=str(path), reason=_FORBIDDEN)


def refuse_unreadable(path: Path, refusal: OSError) -> NoReturn:
    """End the command: a file that is named in another one, or has just gone, cannot be read."""
    reason = refusal.strerror or str(refusal)
    known = why_unreadable(path, "error.file.is_folder")
    refuse_by(known or sentence("error.unreadable", path=str(path), reason=reason))


# -- kinds of values ------------------------------------------------------------------------------


class Number(click.ParamType[Any]):
    """A number from `least` to `most`, a whole one if these are."""

    name = "N"

    def __init__(self, least: float, most: float) -> None:
        self.least = least
        self.most = most

    def bounds(self) -> tuple[float, float]:
        """Return the least and the largest number."""
        return self.least, self.most

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | float:
        """Return the number. BadParameter if it is none, or out of bounds."""
        least, most = self.bounds()
        kind = type(least)
        try:
            number = kind(value)
        except ValueError:
            number = None
        if number is None or not least <= number <= most:  # not a number (NaN) is in no bounds
            self.fail(_cause(value, param) + self.get_missing_message(param, ctx), param, ctx)
        return number

    def get_missing_message(self, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return which numbers there are."""
        least, most = self.bounds()
        key = "error.usage.whole" if isinstance(least, int) else "error.usage.number"
        shown = (str(end).removesuffix(".0") for end in (least, most))
        return sentence(key, least=next(shown), most=next(shown))


class OneOf(click.Choice[str]):
    """One of a few words, in any case."""

    def __init__(self, *choices: str) -> None:
        super().__init__(choices, case_sensitive=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word as it is listed. BadParameter if it is none of them."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(_cause(value, param) + self.get_missing_message(param, ctx), param, ctx)

    def get_missing_message(self, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return which words there are."""
        return sentence("error.usage.choose", choices=", ".join(self.choices))


def _cause(value: object, param: click.Parameter | None) -> str:
    """Return that a parameter cannot have this value, and a blank."""
    if param is None:  # the answer to a question
        return ""
    return sentence("error.usage.value", name=name_of(param), given=str(value)) + " "


def _path(value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
    """Return the path that was typed. MissingParameter if it is empty, which would be the working
    folder.
    """
    if not str(value):
        raise click.MissingParameter(ctx=ctx, param=param)
    return Path(value)


class InputFile(click.ParamType[Path]):
    """A file to read. `folder`: the sentence's key for a folder, "" if one will do; `standard`:
    whether `-` stands for standard input.
    """

    name = "FILE"

    def __init__(self, folder: str = "error.file.is_folder", *, standard: bool = False) -> None:
        self._folder = folder
        self._standard = standard

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path. BadParameter if no file can be read there."""
        path = _path(value, param, ctx)
        if not (self._standard and path == STANDARD) and (
            wrong := why_unreadable(path, self._folder)
        ):
            self.fail(wrong, param, ctx)
        return path


class LaterFile(InputFile):
    """A file that is looked at when it is read: safe mode does without it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path."""
        return _path(value, param, ctx)


class OutputFile(click.ParamType[Path]):
    """A file to write. `standard`: whether `-` stands for standard output."""

    name = "FILE"

    def __init__(self, *, standard: bool = False) -> None:
        self._standard = standard

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path. BadParameter if no file can be written there."""
        path = _path(value, param, ctx)
        if not (self._standard and path == STANDARD) and (wrong := why_unwritable(path)):
            self.fail(wrong, param, ctx)
        return path


class Folder(click.ParamType[Path]):
    """A folder, which may be made yet."""

    name = "FOLDER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path. BadParameter if it is a file, below one, or closed to this user."""
        path = _path(value, param, ctx)
        if wrong := why_no_folder(path):
            self.fail(wrong, param, ctx)
        return path

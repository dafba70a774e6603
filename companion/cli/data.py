"""`companion log check`, `export`, `backup`, `restore`: what a data folder holds."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import click
import msgspec

from companion.cli.options import (
    DATA,
    INPUT_FILE,
    OUTPUT_FILE,
    CommandGroup,
    data_folder,
    games_folder,
)
from companion.cli.play import read_log, replay_rows
from companion.cli.words import FAILED, fail, print_json, refuse, sentence, tell
from companion.files import is_there
from companion.records import log_lines, play_link, play_of, read_names, result_of, scores_csv
from companion.table.backup import CheckedGame, back_up, check_log, copy_verified
from companion.table.backup import restore as restore_log
from companion.table.database import FILE_NAME, Contents, DamagedError, is_damage, wal_of
from companion.table.log import DataInUseError, FolderLock


@click.group("log", cls=CommandGroup, epilog="Example: companion log check")
def log() -> None:
    """Check the saved games."""


@log.command("check", epilog="Example: companion log check")
@DATA
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a game.")
def log_check(data: Path | None, as_json: bool) -> None:
    """Check that no saved game has lost anything. Prints what is proven of each game and what was
    lost, and why. The exit status is 1 if something was.
    """
    folder = games_folder(data)
    found = check_log(folder / FILE_NAME)
    if not found.games and not found.damage:
        refuse("error.no_games", path=str(folder))
    if found.kind == "foreign":
        refuse("error.foreign_log", path=str(folder / FILE_NAME))
    for game in found.games:
        if as_json:
            print_json(game)
        else:
            _print_game(game)
    if found.kind == "newer":
        tell("log_check.newer", path=found.file)
    if found.journal_missing:
        tell("log_notice.incomplete_copy", path=found.journal_missing)
    if found.damage:
        tell("log_check.damaged", path=found.file, reason=found.damage)
        if found.end_unknown:
            tell("log_check.end_unknown")
    if not found.whole:
        raise SystemExit(FAILED)


def _print_game(game: CheckedGame) -> None:
    name = f"{game.file}: {game.table}"
    click.echo(sentence("log_check.table", table=name, count=game.rows, proven=game.proven))
    for gap in game.lost:
        rows = str(gap.first) if gap.first == gap.last else f"{gap.first}-{gap.last}"
        lost, aside = sentence("log_check.lost", rows=rows), ""
        if gap.aside:
            aside = " " + sentence("log_check.aside", path=gap.aside)
        click.echo(f"  {lost}{aside}")


@click.command("export", epilog="Example: companion export g3 --as csv")
@click.argument("table")
@click.option(
    "--as", "form", type=click.Choice(("jsonl", "csv", "bgstats")), default="jsonl",
    show_default=False, help="The rows of its log, its scores, or a play for BG Stats.",
)  # fmt: skip
@DATA
@click.option("--link", is_flag=True, help="With --as bgstats: the link that opens BG Stats.")
def export(table: str, form: str, data: Path | None, link: bool) -> None:
    """Print one game: its log, its scores, or a play for BG Stats. TABLE is the game's id, such as
    g3; `companion log check` lists them.
    """
    if link and form != "bgstats":
        refuse("error.usage.needs", option="--link", other="--as bgstats")
    folder = games_folder(data)
    rows = read_log(folder, table)
    if form == "jsonl":
        for line in log_lines(rows):
            click.echo(line.decode())
        return
    result = result_of(table, replay_rows(folder, rows))
    if result is None:
        refuse("error.no_game_in_log", path=str(folder))
    result = read_names(folder).applied(result)
    if form == "csv":
        click.echo(scores_csv([result]), nl=False)
        return
    play = play_of(result, sentence)
    if play is None:
        fail("export.not_ended" if result.reason is None else "export.no_time", table=table)
    click.echo(play_link(play) if link else msgspec.json.encode(play).decode())


@click.command(epilog="Example: companion backup evening.db")
@click.argument("file", type=OUTPUT_FILE)
@DATA
def backup(file: Path, data: Path | None) -> None:
    """Save all games and who has joined in one file. The service may run meanwhile."""
    folder = games_folder(data)
    try:
        found, incomplete = back_up(folder / FILE_NAME, file)
    except (DamagedError, sqlite3.Error) as wrong:
        if isinstance(wrong, sqlite3.Error) and not is_damage(wrong, folder):
            refuse("error.cannot_save", path=str(file), reason=str(wrong))
        fail("backup.damaged", reason=str(wrong))
    except OSError as refusal:
        if Path(str(refusal.filename)).parent == folder != file.parent:
            raise
        refuse("error.cannot_save", path=str(file), reason=refusal.strerror or "")
    _print_contents("backup.done", file, found)
    if incomplete:
        tell("log_notice.incomplete_copy", path=wal_of(folder / FILE_NAME).name)


def _print_contents(key: str, path: Path, found: Contents) -> None:
    rows = sum(end.seq for end in found.ends.values())
    click.echo(sentence(key, path=str(path), count=len(found.ends), rows=rows))


@click.command(epilog="Example: companion restore evening.db")
@click.argument("file", type=INPUT_FILE)
@DATA
@click.option("--force", is_flag=True, help="Replace the games there; they are kept in a folder.")
def restore(file: Path, data: Path | None, force: bool) -> None:
    """Bring back the games of a backup."""
    folder = data_folder(data)
    file.open("rb").close()
    if not force:
        _refuse_to_replace(folder / FILE_NAME)
    lock = FolderLock(folder)
    try:
        with TemporaryDirectory() as tried:  # before anything is made
            copy_verified(file, Path(tried) / FILE_NAME)
        folder.mkdir(parents=True, exist_ok=True)
        lock.take()
        found, kept = restore_log(file, folder / FILE_NAME)
    except DataInUseError:
        refuse("error.data_in_use", path=str(folder))
    except (DamagedError, sqlite3.Error) as wrong:
        _refuse_backup(file, folder, wrong)
    except OSError as refusal:
        path, reason = str(refusal.filename or folder), refusal.strerror or ""
        refuse("error.cannot_write", path=path, reason=reason)
    finally:
        lock.release()
    _print_contents("restore.done", folder, found)
    if kept is not None:
        click.echo(sentence("restore.kept", path=str(kept)))


def _refuse_backup(file: Path, folder: Path, wrong: DamagedError | sqlite3.Error) -> NoReturn:
    reason = str(wrong)
    if isinstance(wrong, sqlite3.Error) and not is_damage(wrong, folder):
        refuse("error.cannot_write", path=str(folder), reason=reason)
    if reason == "newer":
        refuse("error.backup.newer", path=str(file))
    if reason == "foreign" or getattr(wrong, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
        refuse("error.backup.none", path=str(file))
    refuse("error.backup.damaged", path=str(file), reason=reason[:200])


def _refuse_to_replace(path: Path) -> None:
    """End the command if there are games, or another program's file."""
    if not is_there(path):
        return
    found = check_log(path)
    if found.kind == "foreign":
        refuse("error.other_files", path=str(path.parent), names=path.name)
    if found.games or not found.whole:
        refuse("error.would_replace", path=str(path.parent))

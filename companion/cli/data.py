"""`companion log check`, `export`, `statistics`, `backup`, `restore`: what a data folder holds."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click
import msgspec

from companion.cli.logs import read_log, refuse_log, replay_rows
from companion.cli.options.folders import DATA, data_folder, databases_of, games_folder
from companion.cli.options.values import InputFile, OneOf, OutputFile, why_unwritable
from companion.cli.usage import CommandGroup, refuse_without
from companion.cli.words import FAILED, refuse, refuse_by, sentence
from companion.records import (
    GameResult,
    log_lines,
    named,
    play_link,
    play_of,
    read_names,
    result_of,
    scores_csv,
    statistics,
    tally_of,
)
from companion.storage.copies.archives import ArchiveError
from companion.storage.copies.backups import (
    SERVICE_FILES,
    Manifest,
    back_up,
    replaceable_files,
    restore_files,
    unpacked_backup,
)
from companion.storage.database.checking import CheckedFile, CheckedTable, Gap, check_log
from companion.storage.rows import NAMED
from companion.storage.schema import DamagedError, Schema, is_damage
from companion.table import replay_all
from companion.table.folder_lock import LOCK_NAME, DataInUseError, FolderLock
from companion.table.log import FILE_NAME, CannotOpenError, saved_tables


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
    found = [_check_file(path) for path in databases_of(folder)]
    if all(file.whole and not file.tables for file in found):
        if all(file.kind == "foreign" for file in found):
            refuse("error.foreign_log", path=str(folder / found[0].file))
        refuse("error.no_games", path=str(folder))
    for file in found:
        for table in file.tables:
            if as_json:
                click.echo(msgspec.json.encode(table).decode())
            else:
                _print_table(table)
        _print_file(file)
    if not all(file.whole for file in found):
        raise SystemExit(FAILED)


def _check_file(path: Path) -> CheckedFile:
    try:
        return check_log(path)
    except OSError as refusal:
        refuse("error.unreadable", path=str(path), reason=refusal.strerror or "")


def _print_table(table: CheckedTable) -> None:
    name = f"{table.file}: {table.table}"
    click.echo(sentence("log_check.table", table=name, count=table.rows, proven=table.proven))
    for gap in table.lost:
        click.echo(f"  {_gap_text(gap)}")


def _gap_text(gap: Gap) -> str:
    rows = str(gap.first) if gap.first == gap.last else f"{gap.first}-{gap.last}"
    key = "changed" if gap.why == "changed" else "gone"
    text = sentence(f"log_check.{key}", rows=rows)
    return f"{text} {sentence('log_check.aside', path=gap.aside)}" if gap.aside else text


def _print_file(file: CheckedFile) -> None:
    """Print what concerns the whole file."""
    if file.kind in {"newer", "foreign"}:
        click.echo(sentence(f"log_check.{file.kind}", path=file.file), err=True)
    if file.journal_missing:
        _print_incomplete(file.journal_missing)
    if file.damage:
        click.echo(sentence("log_check.damaged", path=file.file, reason=file.damage), err=True)
        if file.end_unknown:
            click.echo(sentence("log_check.end_unknown"), err=True)


def _print_incomplete(journal: str) -> None:
    click.echo(sentence("log_notice.incomplete_copy", path=journal), err=True)


@click.command("export", epilog="Example: companion export g3 --as csv")
@click.argument("table")
@click.option(
    "--as", "form", type=OneOf("jsonl", "csv", "bgstats"), default="jsonl",
    help="The rows of its log, its scores, or a play for BG Stats.",
)  # fmt: skip
@DATA
@click.option("--link", is_flag=True, help="With --as bgstats: the link that opens BG Stats.")
def export(table: str, form: str, data: Path | None, link: bool) -> None:
    """Print one game: its log, its scores, or a play for BG Stats. TABLE is the game's id, such as
    g3; `companion log check` lists them.
    """
    if link and form != "bgstats":
        refuse_without("--link", "--as bgstats")
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
    _print_play(result, link=link)


def _print_play(result: GameResult, *, link: bool) -> None:
    play = play_of(result, sentence)
    if play is None:
        key = "export.not_ended" if result.reason is None else "export.no_time"
        click.echo(sentence(key, table=result.table), err=True)
        raise SystemExit(FAILED)
    click.echo(play_link(play) if link else msgspec.json.encode(play).decode())


@click.command("statistics", epilog="Example: companion statistics")
@DATA
def print_statistics(data: Path | None) -> None:
    """Print statistics of all finished games, as JSON."""
    folder = games_folder(data)
    try:
        known = saved_tables(folder / FILE_NAME)
    except CannotOpenError as wrong:
        refuse_log(folder / FILE_NAME, wrong.reason)
    names = read_names(folder)
    tallies = (tally_of(table, replay_all(read_log(folder, table))) for table in known)
    found = statistics(named(one, names) for one in tallies if one is not None)
    click.echo(msgspec.json.encode(found).decode())


@click.command(epilog="Example: companion backup evening.zip")
@click.argument("file", type=OutputFile())
@DATA
def backup(file: Path, data: Path | None) -> None:
    """Save the whole data folder in one file. The service may run meanwhile."""
    folder = games_folder(data)
    try:
        manifest = back_up(folder, file)
    except (DamagedError, sqlite3.Error) as wrong:
        if isinstance(wrong, sqlite3.Error) and not is_damage(wrong, folder):
            refuse("error.cannot_save", path=str(file), reason=str(wrong))
        click.echo(sentence("backup.damaged", reason=str(wrong)), err=True)
        raise SystemExit(FAILED) from None
    except ArchiveError as wrong:
        refuse(wrong.key, **wrong.params)
    except OSError as refusal:
        _refuse_place(refusal, folder, file)
    _print_contents("backup.done", file, manifest)
    for journal in manifest.incomplete:
        _print_incomplete(journal)
    if left := manifest.left_out:
        named = ", ".join(left[:NAMED])
        click.echo(sentence("backup.left_out", count=len(left), names=named), err=True)


def _refuse_place(refusal: OSError, folder: Path, file: Path) -> NoReturn:
    """End the command: the data folder cannot be read, or the file not be written."""
    reason, where = refusal.strerror or "", str(refusal.filename or "")
    if where and Path(where).parent == folder and file.parent != folder:
        refuse("error.unreadable", path=where, reason=reason)
    refuse_by(why_unwritable(file) or sentence("error.cannot_save", path=str(file), reason=reason))


def _print_contents(key: str, path: Path, manifest: Manifest) -> None:
    rows = sum(end.rows for end in manifest.tables.values())
    click.echo(sentence(key, path=str(path), count=len(manifest.tables), rows=rows))


@click.command(epilog="Example: companion restore evening.zip")
@click.argument("file", type=InputFile())
@DATA
@click.option("--force", is_flag=True, help="Replace the games there; they are kept in a folder.")
def restore(file: Path, data: Path | None, force: bool) -> None:
    """Bring back the data folder from a backup."""
    folder = data_folder(data)
    lock, missing = FolderLock(folder), _missing_places(folder)
    done = False
    try:
        lock.take()
        if not force:
            _refuse_to_replace(folder)
        with unpacked_backup(file, folder, Schema()) as (made, manifest):
            kept = restore_files(made, folder, manifest)
        done = True
    except DataInUseError:
        refuse("error.data_in_use", path=str(folder))
    except ArchiveError as wrong:
        refuse(wrong.key, path=str(file), **wrong.params)
    except OSError as refusal:
        path, reason = str(refusal.filename or folder), refusal.strerror or ""
        refuse("error.cannot_write", path=path, reason=reason)
    finally:
        if not done:
            _remove(missing)  # the lock while it is held: nobody else has it
        lock.release()
    _print_contents("restore.done", folder, manifest)
    if kept is not None:
        click.echo(sentence("restore.kept", path=str(kept)))


def _refuse_to_replace(folder: Path) -> None:
    """End the command if the folder holds games, or files of which no service knows."""
    names = [name for name in replaceable_files(folder) if name not in SERVICE_FILES]
    databases = {path.name: _check_file(path) for path in databases_of(folder)}
    kept = [name for name in names if name not in databases or not _is_empty(databases[name])]
    if any(name in databases and databases[name].kind != "foreign" for name in kept):
        refuse("error.would_replace", path=str(folder))
    if kept:
        refuse("error.other_files", path=str(folder), names=", ".join(kept[:NAMED]))


def _is_empty(file: CheckedFile) -> bool:
    """Whether this is a log of ours in which no game was begun."""
    return file.kind == "ours" and file.whole and not file.tables


def _missing_places(folder: Path) -> list[Path]:
    """Return the lock of a folder and the folders on the way to it that do not exist yet, innermost
    first.
    """
    return [path for path in (folder / LOCK_NAME, folder, *folder.parents) if not path.exists()]


def _remove(made: list[Path]) -> None:
    """Remove what was made in vain, but no folder with something in it."""
    with suppress(OSError):
        for path in made:
            path.unlink() if path.name == LOCK_NAME else path.rmdir()

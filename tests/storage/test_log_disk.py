"""The log while the disk refuses, in an incomplete copy, and after a power cut."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from companion.engine import RULESETS, Corrected
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.storage.copies import backups
from companion.storage.database import replacing
from companion.storage.schema import Schema, put_overall_seal
from companion.table import Table
from companion.table.log import FILE_NAME, EventLog, StoredRow
from tests.faults import Outcome
from tests.faults.damages import main_damaged, order_damaged, wal_damaged
from tests.service.phone import Phone, app_state_of
from tests.table.test_log import a_row, written
from tests.table.test_table import begin, play, say, started

NOBODY = 65534
WAL = f"{FILE_NAME}-wal"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder that everybody can enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name) / "data"


@contextmanager
def read_only(folder: Path, mode: int = 0o555) -> Iterator[None]:
    """Make the folder and its files read-only; the folder itself has this mode."""
    places = [folder, folder.parent, *folder.rglob("*")]
    modes = {place: place.stat().st_mode for place in places if place.exists()}
    for place in modes:
        place.chmod(0o555 if place.is_dir() else 0o444)
    if folder in modes:
        folder.chmod(mode)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for place, mode in modes.items():
            place.chmod(mode)


# -- read-only --------------------------------------------------------------------------------


def test_a_read_only_folder_is_read_and_rows_wait_in_memory(folder: Path) -> None:
    rows = written(folder, 5)
    with read_only(folder):
        log = EventLog(folder)
        assert (log.saved, log.rows("g1"), log.notices) == (False, rows, ())
        assert not log.append("g1", [a_row(5)])
        assert not log.append("g2", [a_row(6)])
        assert not log.save()
        assert log.rows("g1") == (*rows, a_row(5))
        assert (log.tables, log.current) == (("g1", "g2"), "g2")
    assert log.save()
    assert log.saved
    assert log.append("g2", [a_row(7)])
    assert log.rows("g1") == (*rows, a_row(5))
    log.close()
    again = EventLog(folder)
    assert again.rows("g1") == (*rows, a_row(5))
    assert again.rows("g2") == (a_row(6), a_row(7))
    assert (again.losses, again.notices) == ((), ())
    again.close()


def test_a_folder_that_cannot_be_made_is_made_later(folder: Path) -> None:
    with read_only(folder):
        log = EventLog(folder)
        assert not log.append("g1", [a_row(0)])
        assert log.rows("g1") == (a_row(0),)
    assert log.save()
    log.close()
    again = EventLog(folder)
    assert again.rows("g1") == (a_row(0),)
    again.close()


def test_a_folder_that_may_not_be_entered_ends_no_evening(folder: Path) -> None:
    rows = written(folder, 5)
    with read_only(folder, mode=0):
        log = EventLog(folder)
        assert not log.append("g1", [a_row(9)])
        assert log.rows("g1") == (a_row(9),)
    assert log.save()
    assert [log.rows(table) for table in log.tables] == [rows, (a_row(9),)]
    log.close()


def test_a_damaged_file_in_a_read_only_folder_is_served_and_nothing_is_changed(
    folder: Path,
) -> None:
    rows = written(folder, 30)
    content = bytearray((folder / FILE_NAME).read_bytes())
    content[content.index(b"command-20")] ^= 1
    (folder / FILE_NAME).write_bytes(content)
    with read_only(folder):
        log = EventLog(folder)
        served = log.rows("g1")
        assert [seq for seq, row in enumerate(served, start=1) if row != rows[seq - 1]] == [21]
        assert [one.key for one in log.notices] == ["log_notice.rows_lost"]
        log.append("g1", [a_row(40)])
    assert (folder / FILE_NAME).read_bytes() == content
    assert log.save()
    assert log.rows("g1") == (*served, a_row(40))
    log.close()
    assert (folder / f"{FILE_NAME}.damaged-1").read_bytes() == content


class Refusing:
    """A folder that nobody may write to yet."""

    yet = True

    def __call__(self) -> None:
        if self.yet:
            raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("snapshots", [False, True])
def test_a_damaged_file_on_a_disk_that_refuses_at_first_is_mended_and_saved(
    tmp_path: Path, snapshots: bool
) -> None:
    rows = written(tmp_path, 30)
    if snapshots:
        assert backups.take_snapshot(tmp_path / FILE_NAME, "g1") is not None
    content = bytearray((tmp_path / FILE_NAME).read_bytes())
    content[content.index(b"command-20")] ^= 1
    (tmp_path / FILE_NAME).write_bytes(content)
    refusing = Refusing()
    log = EventLog(tmp_path, claim=refusing)
    assert (log.rows("g1") == rows) is snapshots
    assert not log.append("g1", [a_row(40)])
    refusing.yet = False
    served = log.rows("g1")
    assert log.append("g1", [a_row(41)])
    log.close()
    again = EventLog(tmp_path)
    assert again.rows("g1") == (*served, a_row(41))
    assert (again.tables, again.losses) == (("g1",), ())
    again.close()


@pytest.mark.parametrize("snapshots", [False, True])
def test_a_gap_that_only_the_opening_can_fill_keeps_nothing_from_the_disk(
    tmp_path: Path, snapshots: bool
) -> None:
    """Another copy turns up while rows wait, or the copy that filled the gap is gone."""
    rows = written(tmp_path, 30)
    copy = backups.take_snapshot(tmp_path / FILE_NAME, "g1")
    assert copy is not None
    content = bytearray((tmp_path / FILE_NAME).read_bytes())
    content[content.index(b"command-20")] ^= 1
    (tmp_path / FILE_NAME).write_bytes(content)
    elsewhere, refusing = tmp_path / "elsewhere", Refusing()
    if not snapshots:
        copy.rename(elsewhere)
    log = EventLog(tmp_path, claim=refusing)
    assert not log.append("g1", [a_row(40)])
    (copy if snapshots else elsewhere).rename(elsewhere if snapshots else copy)
    refusing.yet = False
    assert log.save()
    assert log.append("g1", [a_row(41)])
    log.close()
    again = EventLog(tmp_path)
    assert again.losses == ()
    found = again.rows("g1")
    assert found[:20] + found[21:] == (*rows[:20], *rows[21:], a_row(40), a_row(41))
    assert (found[20] == rows[20]) is not snapshots
    again.close()


def evening(folder: Path, turns: int) -> Table:
    table = started(folder, min(RULESETS))
    play(table, turns)
    return table


@pytest.mark.parametrize("turns", [0, 2])
def test_a_file_that_turns_up_while_another_game_is_played_loses_neither(
    tmp_path: Path, turns: int
) -> None:
    """A disk that is mounted late: the game of before is whole, the one in memory has a name."""
    before = evening(tmp_path / "disk", 3)
    before.close()
    first = EventLog(tmp_path / "disk")
    rows = first.rows("g1")
    first.close()
    refusing = Refusing()
    log = EventLog(tmp_path / "data", claim=refusing)
    table = Table(log)
    if turns:
        begin(table, min(RULESETS))
        play(table, turns)
    rev = table.snapshot().rev
    assert (table.snapshot().table, table.save()) == ("g1", False)
    shutil.copytree(tmp_path / "disk", tmp_path / "data", dirs_exist_ok=True)
    refusing.yet = False
    seen = Counter[str]()
    table.subscribe(lambda: seen.update(["called"]))
    assert table.save()
    now = table.snapshot()
    assert (now.table, now.rev) == (("g2", rev) if turns else ("g1", len(rows)))
    assert now.saved
    assert seen["called"] == 1
    assert log.rows("g1") == rows
    say(table, Corrected())
    assert table.snapshot().table == now.table
    table.close()
    again = Table(EventLog(tmp_path / "data"))
    assert again.snapshot().table == now.table
    assert again.snapshot().rev == now.rev + 1
    assert again.snapshot_of("g1").rev == len(rows) + (not turns)
    again.close()


def test_a_file_that_is_gone_when_the_disk_takes_rows_again_is_written_anew(
    tmp_path: Path,
) -> None:
    rows = written(tmp_path, 5)
    refusing = Refusing()
    log = EventLog(tmp_path, claim=refusing)
    assert not log.append("g2", [a_row(7)])
    (tmp_path / FILE_NAME).unlink()
    refusing.yet = False
    assert log.save()
    log.close()
    again = EventLog(tmp_path)
    assert (again.rows("g1"), again.rows("g2"), again.current) == (rows, (a_row(7),), "g2")
    again.close()


def test_a_shorter_file_than_was_supposed_keeps_its_game_beside_the_one_in_memory(
    tmp_path: Path,
) -> None:
    rows = written(tmp_path / "data", 5)
    written(tmp_path / "older", 3)
    refusing = Refusing()
    log = EventLog(tmp_path / "data", claim=refusing)
    assert not log.append("g1", [a_row(7)])
    shutil.copy(tmp_path / "older" / FILE_NAME, tmp_path / "data" / FILE_NAME)
    refusing.yet = False
    assert log.save()
    assert (log.rows("g1"), log.rows("g2")) == (rows[:3], (*rows, a_row(7)))
    assert log.current == "g2"
    log.close()


def of_another_evening(folder: Path, count: int) -> tuple[StoredRow, ...]:
    """Make a file with a game of the same name; return its rows."""
    log = EventLog(folder)
    rows = tuple(msgspec.structs.replace(a_row(n), who="another") for n in range(count))
    log.append("g1", rows)
    log.close()
    return rows


@pytest.mark.parametrize("played", [0, 1, 3])
@pytest.mark.parametrize("theirs", [3, 5, 6, 8])
def test_another_file_in_its_place_keeps_neither_game_from_being_kept(
    tmp_path: Path, theirs: int, played: int
) -> None:
    """However many rows either of them has."""
    rows = written(tmp_path / "data", 5)
    others = of_another_evening(tmp_path / "other", theirs)
    refusing = Refusing()
    log = EventLog(tmp_path / "data", claim=refusing)
    new = tuple(a_row(n) for n in range(20, 20 + played))
    for row in new:
        assert not log.append("g1", [row])
    shutil.copy(tmp_path / "other" / FILE_NAME, tmp_path / "data" / FILE_NAME)
    refusing.yet = False
    assert log.save()
    assert (log.rows("g1"), log.rows("g2")) == (others, (*rows, *new))
    assert log.current == "g2"
    log.close()
    again = EventLog(tmp_path / "data")
    assert (again.rows("g1"), again.rows("g2"), again.losses) == (others, (*rows, *new), ())
    again.close()


def test_a_file_that_went_on_from_the_same_rows_is_no_other_game(tmp_path: Path) -> None:
    rows = written(tmp_path, 5)
    refusing = Refusing()
    log = EventLog(tmp_path, claim=refusing)
    more = EventLog(tmp_path)
    more.append("g1", [a_row(30)])
    more.close()
    refusing.yet = False
    assert log.save()
    assert (log.tables, log.rows("g1")) == (("g1",), (*rows, a_row(30)))
    log.close()


@pytest.mark.parametrize("turned", [False, True])
def test_two_games_of_another_file_with_as_many_rows_lose_neither_of_ours(
    tmp_path: Path, turned: bool
) -> None:
    for name, who in (("data", "ours"), ("other", "theirs")):
        log = EventLog(tmp_path / name)
        for table in ("g1", "g2"):
            log.append(table, [msgspec.structs.replace(a_row(n), who=who) for n in range(4)])
        log.close()
    refusing = Refusing()
    log = EventLog(tmp_path / "data", claim=refusing)
    if turned:
        log.make_current("g1")
    shutil.copy(tmp_path / "other" / FILE_NAME, tmp_path / "data" / FILE_NAME)
    refusing.yet = False
    assert log.save()
    whose = [{row.who for row in log.rows(table)} for table in log.tables]
    assert whose == [{"theirs"}, {"theirs"}, {"ours"}, {"ours"}]
    assert {row.who for row in log.rows(log.current)} == {"ours"}
    log.close()


def test_a_service_plays_on_in_a_read_only_folder_with_the_red_mark(folder: Path) -> None:
    game = min(RULESETS)
    warm = create_app(Settings(data=folder.parent / "warm"))  # all that Python loads late
    Phone(warm).join()
    app_state_of(warm).close()
    with read_only(folder):
        app = create_app(Settings(data=folder))
        host = Phone(app)
        host.join()
        host.set_up(game)
        assert not host.view().saved
        rev = host.view().rev
    assert app_state_of(app).table.save()
    assert host.view().saved
    app_state_of(app).close()
    again = create_app(Settings(data=folder))
    assert app_state_of(again).table.snapshot().rev == rev
    app_state_of(again).close()


# -- copies -----------------------------------------------------------------------------------


def test_a_copy_without_its_journal_is_recognised_however_short_the_game(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "live")
    for count in range(3):
        copy = tmp_path / str(count)
        copy.mkdir()
        shutil.copy(tmp_path / "live" / FILE_NAME, copy / FILE_NAME)
        opened = EventLog(copy)
        assert [one.key for one in opened.notices] == ["log_notice.incomplete_copy"]
        opened.close()
        log.append("g1", [a_row(count)])
    log.close()
    shutil.copytree(tmp_path / "live", tmp_path / "whole")
    opened = EventLog(tmp_path / "whole")
    assert (opened.notices, len(opened.rows("g1"))) == ((), 3)
    opened.close()


def test_a_copy_with_its_journal_is_whole(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "live")
    log.append("g1", [a_row(0)])
    shutil.copytree(tmp_path / "live", tmp_path / "copy")
    log.close()
    opened = EventLog(tmp_path / "copy")
    assert (opened.notices, opened.rows("g1")) == ((), (a_row(0),))
    opened.close()


def test_a_file_of_the_release_before_without_its_journal_is_no_empty_table(
    tmp_path: Path,
) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute("PRAGMA journal_mode=WAL")  # all else stood in the journal
    db.close()
    log = EventLog(tmp_path)
    assert [one.key for one in log.notices] == ["log_notice.incomplete_copy"]
    assert log.append("g1", [a_row(0)])
    log.close()


# -- journals ---------------------------------------------------------------------------------


def killed(folder: Path, count: int) -> bytes:
    """Make the files that a killed service leaves; return the journal's bytes."""
    log = EventLog(folder / "live")
    for n in range(count):
        log.append("g1", [a_row(n)])
    shutil.copytree(folder / "live", folder / "killed")
    log.close()
    return (folder / "killed" / WAL).read_bytes()


def test_what_was_being_written_when_it_ended_is_said(tmp_path: Path) -> None:
    wal = killed(tmp_path, 12)
    (tmp_path / "killed" / WAL).write_bytes(wal[:-100])
    log = EventLog(tmp_path / "killed")
    assert len(log.rows("g1")) == 11
    assert [one.key for one in log.notices] == ["log_notice.torn"]
    log.close()


def test_a_journal_that_breaks_in_the_middle_is_read_beyond_the_break(tmp_path: Path) -> None:
    wal = bytearray(killed(tmp_path, 12))
    wal[32 + 24 + 5] ^= 1  # in the first page that it holds
    (tmp_path / "killed" / WAL).write_bytes(wal)
    log = EventLog(tmp_path / "killed")
    assert log.rows("g1") == tuple(a_row(n) for n in range(12))
    assert [one.key for one in log.notices] == ["log_notice.mended"]
    log.close()
    assert (tmp_path / "killed" / f"{FILE_NAME}.damaged-1-wal").read_bytes() == wal


# -- replacing --------------------------------------------------------------------------------


@pytest.mark.parametrize("place", range(0, 24, 3))
def test_a_bit_in_the_head_of_a_frame_costs_nothing(tmp_path: Path, place: int) -> None:
    wal = bytearray(killed(tmp_path, 12))
    wal[32 + 5 * (24 + 4096) + place] ^= 4
    (tmp_path / "killed" / WAL).write_bytes(wal)
    log = EventLog(tmp_path / "killed")
    assert log.rows("g1") == tuple(a_row(n) for n in range(12))
    assert [one.key for one in log.notices] == ["log_notice.mended"]
    log.close()


@pytest.mark.parametrize("step", range(1, 7))
def test_a_plug_pulled_at_any_step_of_a_replacement_loses_nothing(
    tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal of the damaged file must neither be lost nor meet the new file."""
    killed(tmp_path, 20)
    folder, left = tmp_path / "killed", step
    content = bytearray((folder / FILE_NAME).read_bytes())
    content[100] ^= 4
    (folder / FILE_NAME).write_bytes(content)
    rename, replace = Path.rename, Path.replace

    def counted(path: Path) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt(path)

    def renaming(path: Path, target: str | Path) -> Path:
        counted(path)
        return rename(path, target)

    def replacing_(path: Path, target: str | Path) -> Path:
        counted(path)
        return replace(path, target)

    monkeypatch.setattr(Path, "rename", renaming)
    monkeypatch.setattr(Path, "replace", replacing_)
    try:
        EventLog(folder).close()
    except KeyboardInterrupt:
        monkeypatch.undo()
    log = EventLog(folder)
    assert log.rows("g1") == tuple(a_row(n) for n in range(20))
    log.close()
    kept = [path for path in folder.iterdir() if path.name.endswith("-wal")]
    assert len(kept) <= 1


def test_an_unfinished_new_file_is_no_log(tmp_path: Path) -> None:
    rows = written(tmp_path, 3)
    (tmp_path / f"{FILE_NAME}.new").write_bytes(b"half a file")
    replacing.create_file(tmp_path / "other.db", Schema(), lambda db: put_overall_seal(db, {}))
    log = EventLog(tmp_path)
    assert log.rows("g1") == rows
    assert not (tmp_path / f"{FILE_NAME}.new").exists()
    log.close()


# -- at random: `make faults`, the long form, has 2,000 of each --------------------------------


@pytest.mark.parametrize("damage", [main_damaged, order_damaged, wal_damaged])
def test_damage_at_random_places(damage: Callable[[int], Outcome]) -> None:
    outcome = damage(8)
    assert outcome.ok, outcome.seen

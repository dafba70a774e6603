"""The log while the disk refuses, is full, or is gone, and on a disk that fails now and then."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from companion.engine import RULESETS, Corrected
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.table import Table
from companion.table.backup import copy_after_turn
from companion.table.database import FILE_NAME, wal_of
from companion.table.log import DataInUseError, EventLog, FolderLock
from tests.service.phone import Phone, app_state_of
from tests.table.test_log import TEXT, a_row, change, killed, opened, written
from tests.table.test_table import begin, play, say, started
from tests.waiting import WITHIN_S, Disk, failing, wait_until

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder that everybody can enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name) / "data"


@contextmanager
def nobody() -> Iterator[None]:
    """Lose the rights of root, if this is root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@contextmanager
def read_only(folder: Path, mode: int = 0o555) -> Iterator[None]:
    """Make the folder and its files read-only; the folder itself has this mode."""
    places = [folder, folder.parent, *folder.rglob("*")]
    modes = {place: place.stat().st_mode for place in places if place.exists()}
    for place in modes:
        place.chmod(0o555 if place.is_dir() else 0o444)
    if folder in modes:
        folder.chmod(mode)
    try:
        with nobody():
            yield
    finally:
        for place, mode in modes.items():
            place.chmod(mode)


class Refusing:
    """A folder that nobody may write to yet."""

    yet = True

    def __call__(self) -> None:
        if self.yet:
            raise PermissionError(13, "Permission denied")


# -- read-only --------------------------------------------------------------------------------


def test_a_read_only_folder_is_read_and_rows_wait_in_memory(folder: Path) -> None:
    rows = written(folder, 5)
    with read_only(folder):
        log = EventLog(folder)
        assert (log.saved, tuple(log.read("g1")), log.notices) == (False, rows, ())
        assert log.refusal
        assert not log.append("g1", [a_row(5)])
        assert not log.append("g2", [a_row(6)])
        log.put_state("who", "Ana")
        assert tuple(log.read("g1")) == (*rows, a_row(5))
        assert (log.games, log.current) == (("g1", "g2"), "g2")
    assert log.save()
    assert log.append("g2", [a_row(7)])
    assert tuple(log.read("g1")) == (*rows, a_row(5))
    log.close()
    with closing(EventLog(folder)) as again:
        assert tuple(again.read("g1")) == (*rows, a_row(5))
        assert tuple(again.read("g2")) == (a_row(6), a_row(7))
        assert (again.state("who", TEXT), again.notices) == ("Ana", ())


@pytest.mark.parametrize("shared", [False, True])
def test_a_journal_is_read_in_a_folder_that_nobody_may_write_to(folder: Path, shared: bool) -> None:
    rows, _ = killed(folder, 3)
    if not shared:
        (folder / "killed" / f"{FILE_NAME}-shm").unlink()
    with read_only(folder / "killed"):
        assert opened(folder / "killed") == (rows, [])


def test_a_folder_that_may_not_be_entered_ends_no_evening(folder: Path) -> None:
    rows = written(folder, 5)
    with read_only(folder, mode=0):
        log = EventLog(folder)
        assert not log.append("g1", [a_row(9)])
        assert tuple(log.read("g1")) == (a_row(9),)
    assert log.save()
    assert [tuple(log.read(game)) for game in log.games] == [rows, (a_row(9),)]
    assert log.current == "g2"
    log.close()


def test_a_damaged_file_in_a_read_only_folder_is_served_and_nothing_is_changed(
    folder: Path,
) -> None:
    rows = written(folder, 30)
    change(folder, "UPDATE row SET who = 'other' WHERE seq = 21")
    content = (folder / FILE_NAME).read_bytes()
    with read_only(folder):
        log = EventLog(folder)
        assert tuple(log.read("g1")) == rows[:20]
        assert [one.key for one in log.notices] == ["log_notice.rows_lost"]
        log.append("g1", [a_row(40)])
    assert (folder / FILE_NAME).read_bytes() == content
    assert log.save()
    log.close()
    assert opened(folder) == ((*rows[:20], a_row(40)), ["log_notice.rows_lost"])
    assert (folder / f"{FILE_NAME}.aside-1").read_bytes() == content


# -- another file than before -------------------------------------------------------------------


@pytest.mark.parametrize("turns", [0, 2])
def test_a_file_that_turns_up_while_another_game_is_played_loses_neither(
    tmp_path: Path, turns: int
) -> None:
    """A disk that is mounted late: the game of before is whole, the one in memory has a name."""
    with closing(table := started(tmp_path / "disk", min(RULESETS))):
        play(table, 3)
    rows = opened(tmp_path / "disk")[0]
    refusing = Refusing()
    log = EventLog(tmp_path / "data", claim=refusing)
    table = Table(log)
    if turns:
        begin(table, max(RULESETS))
        play(table, turns)
    rev = table.snapshot().rev
    assert (table.snapshot().game_id, table.save()) == ("g1", False)
    shutil.copytree(tmp_path / "disk", tmp_path / "data", dirs_exist_ok=True)
    refusing.yet = False
    seen = Counter[str]()
    table.subscribe(lambda: seen.update(["called"]))
    assert table.save()
    now = table.snapshot()
    assert (now.game_id, now.rev) == (("g2", rev) if turns else ("g1", len(rows)))
    assert now.saved
    assert seen["called"] == 1
    assert tuple(log.read("g1")) == rows
    say(table, Corrected())
    assert table.snapshot().game_id == now.game_id
    table.close()
    with closing(again := Table(EventLog(tmp_path / "data"))):
        assert again.snapshot().game_id == now.game_id
        assert again.snapshot().rev == now.rev + 1
        assert again.snapshot_of("g1").rev == len(rows) + (not turns)


@pytest.mark.parametrize("played", [0, 1, 3])
@pytest.mark.parametrize("theirs", [3, 5, 6, 8])
def test_another_file_in_its_place_keeps_neither_game_from_being_kept(
    tmp_path: Path, theirs: int, played: int
) -> None:
    """However many rows either of them has."""
    rows = written(tmp_path / "data", 5)
    others = written(tmp_path / "other", theirs, who="another")
    refusing = Refusing()
    log = EventLog(tmp_path / "data", claim=refusing)
    new = tuple(a_row(n) for n in range(20, 20 + played))
    for row in new:
        assert not log.append("g1", [row])
    shutil.copy(tmp_path / "other" / FILE_NAME, tmp_path / "data" / FILE_NAME)
    refusing.yet = False
    assert log.save()
    assert (tuple(log.read("g1")), tuple(log.read("g2"))) == (others, (*rows, *new))
    assert log.current == "g2"
    log.close()
    with closing(EventLog(tmp_path / "data")) as again:
        assert (tuple(again.read("g1")), tuple(again.read("g2"))) == (others, (*rows, *new))
        assert again.notices == ()


# -- gone -------------------------------------------------------------------------------------


def unlinked(folder: Path) -> None:
    shutil.rmtree(folder)


def moved(folder: Path) -> None:
    folder.rename(folder.with_name("moved"))


def replaced(folder: Path) -> None:
    """Put the folder of another evening there, as a killed service has left it."""
    moved(folder)
    with closing(EventLog(folder.with_name("live"))) as other:
        other.append("g1", [a_row(n, who="other") for n in range(9)])
        shutil.copytree(folder.with_name("live"), folder)


@pytest.mark.parametrize("how", [unlinked, moved, replaced])
def test_a_folder_that_vanishes_is_noticed_and_nothing_of_the_evening_is_lost(
    tmp_path: Path, how: Any
) -> None:
    folder = tmp_path / "data"
    rows = written(folder, 5)
    lock = FolderLock(folder)
    log = EventLog(folder, claim=lock.take)
    log.put_state("who", "Ana")
    assert log.append("g1", [a_row(6)])
    how(folder)
    assert not log.is_in_place()
    assert not log.append("g1", [a_row(7)])
    ours = (*rows, a_row(6), a_row(7))
    assert tuple(log.read("g1")) == ours
    if how is not replaced:
        assert not log.save(), "no folder is made: a disk may come back there"
        assert not folder.exists()
        assert log.append("g1", [a_row(8)]) is False
        ours = (*ours, a_row(8))
        folder.mkdir()
    assert log.save()
    name = "g2" if how is replaced else "g1"
    assert (log.current, tuple(log.read(name))) == (name, ours)
    with pytest.raises(DataInUseError):
        FolderLock(folder).take()
    assert log.append(name, [a_row(10)])
    assert wal_of(log.path).stat().st_size > 0, "the journal of the old file is another"
    log.close()
    lock.release()
    with closing(EventLog(folder)) as again:
        assert (tuple(again.read(name)), again.state("who", TEXT)) == ((*ours, a_row(10)), "Ana")
        if how is replaced:
            assert tuple(again.read("g1")) == tuple(a_row(n, who="other") for n in range(9))
        assert again.notices == ()


def test_a_vanished_folder_shows_the_red_mark_without_a_command(tmp_path: Path) -> None:
    app = create_app(Settings(data=tmp_path / "data"))
    host, app_state = Phone(app).join(), app_state_of(app)
    host.set_up(min(RULESETS))
    rev = host.view().rev
    assert host.view().saved
    app_state._copies._workers.submit(int).result(WITHIN_S)  # the turn's copy is made
    shutil.rmtree(tmp_path / "data")
    app_state.tick()  # called every second
    wait_until(lambda: not host.view().saved)
    play(app_state.table, 1)
    assert host.view().rev > rev
    (tmp_path / "data").mkdir()
    assert app_state.table.save()
    assert host.view().saved
    rev = host.view().rev
    app_state.close()
    again = create_app(Settings(data=tmp_path / "data"))
    assert app_state_of(again).table.snapshot().rev == rev
    app_state_of(again).close()


# -- full, and failing ------------------------------------------------------------------------


def test_a_full_disk_keeps_rows_in_memory_and_saves_them_later(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    assert log.append("g1", [a_row(0)])
    (pages,) = log._db.execute("PRAGMA page_count").fetchone()
    log._db.execute(f"PRAGMA max_page_count={pages}")
    big = [a_row(n, "x" * 5000) for n in range(1, 4)]
    assert not log.append("g1", big)
    assert not log.saved
    assert tuple(log.read("g1"))[1:] == tuple(big)
    with closing(sqlite3.connect(log.path)) as other:
        assert other.execute("SELECT count(*) FROM row").fetchone() == (1,), "all or nothing"
    log._db.execute("PRAGMA max_page_count=100000")
    assert log.save()
    log.close()
    assert opened(tmp_path) == ((a_row(0), *big), [])


@pytest.mark.parametrize("kind", ["whole", "damaged", "none"])
def test_whichever_statement_of_an_opening_fails_nothing_is_lost(tmp_path: Path, kind: str) -> None:
    disk, finished = Disk(), False
    for n in count(1, 7):
        folder = tmp_path / str(n)
        rows = () if kind == "none" else written(folder, 12)
        if kind == "damaged":
            assert copy_after_turn(folder / FILE_NAME, "g1", ended=False)
            change(folder, "UPDATE row SET who = 'other' WHERE seq = 8")
        with failing(disk):
            disk.left = n
            log = EventLog(folder)
            finished, disk.left = disk.left > 0, 1 + n // 2  # and once more, while it is retried
            log.append("g1", [a_row(40)])
            disk.left = 0
            assert tuple(log.read("g1"))[-1:] == (a_row(40),), n
            assert log.save(), n
            log.close()
        with closing(EventLog(folder)) as again:
            assert tuple(again.read(again.current))[-1] == a_row(40)
            assert tuple(again.read("g1"))[:12] == rows or not rows, n
        if finished:
            break
    assert n > 20


def test_whichever_statement_of_a_command_fails_all_rows_are_written_or_none(
    tmp_path: Path,
) -> None:
    disk, first, rows = Disk(), (a_row(1), a_row(2)), (a_row(5), a_row(6), a_row(7))
    for n in count(1):
        with failing(disk):
            log = EventLog(tmp_path / str(n))
            log.append("g1", first)
            disk.left = n
            saved = log.append("g1", rows)
            finished, disk.left = disk.left > 0, 0
            with closing(sqlite3.connect(log.path)) as db:
                (there,) = db.execute("SELECT count(*) FROM row").fetchone()
            assert there == (5 if saved else 2)
            assert tuple(log.read("g1")) == (*first, *rows)
            assert log.save()
            log.close()
        assert opened(tmp_path / str(n)) == ((*first, *rows), [])
        if finished:
            break
    assert n > 5, "BEGIN, a statement a row, the game's end with its seal, COMMIT"


def test_a_file_that_turns_out_to_be_damaged_is_replaced_during_play(tmp_path: Path) -> None:
    rows = written(tmp_path, 12)
    log = EventLog(tmp_path)
    disk = Disk()
    with failing(disk):
        log._db.close()
        log._db = sqlite3.connect(log.path, check_same_thread=False, isolation_level=None)
        log._db.execute("DROP TABLE chain_end")
        assert not log.append("g1", [a_row(30)])
        assert log.save()
    log.close()
    assert opened(tmp_path) == ((*rows, a_row(30)), ["log_notice.end_unknown"])

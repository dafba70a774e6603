"""The log: it returns what was appended, and notices every altered row."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest

from companion.table import database
from companion.table.backup import copy_after_turn
from companion.table.database import FILE_NAME, CannotOpenError, StoredRow, saved_games, saved_rows
from companion.table.log import EventLog
from tests.stress import damages, torn

ASIDE = f"{FILE_NAME}.aside-1"
EATS = (
    "CREATE TRIGGER eats AFTER INSERT ON row BEGIN"
    " DELETE FROM row WHERE game = NEW.game AND seq = NEW.seq - 1; END"
)


def a_row(n: int, position: str | None = None, who: str = "seat:0") -> StoredRow:
    return StoredRow(
        at=f"2026-01-01T00:00:{n:02}",
        who=who,
        command_id=f"command-{n}",
        event=f'{{"type":"DiceRolled","n":{n}}}',
        rules_version="1",
        digest=f"{n:064x}",
        position=position,
    )


def written(folder: Path, count: int, who: str = "seat:0") -> tuple[StoredRow, ...]:
    """Write a game of so many rows and close; return them."""
    rows = tuple(a_row(n, "x" * 500 if n % 5 == 0 else None, who) for n in range(count))
    with closing(EventLog(folder)) as log:
        for row in rows:
            assert log.append("g1", [row])
    return rows


TEXT = msgspec.json.Decoder(str)


def unknown(row: StoredRow) -> StoredRow:
    """Return the row with an event that only newer rules know."""
    return msgspec.structs.replace(row, event='{"type":"FromNewerRules"}')


def change(folder: Path, *statements: str) -> None:
    """Change the file of a closed log."""
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def opened(folder: Path, game: str = "g1") -> tuple[tuple[StoredRow, ...], list[str]]:
    """Open the log and close it; return a game's rows, and the keys of the notices."""
    with closing(EventLog(folder)) as log:
        return tuple(log.read(game)), [one.key for one in log.notices]


# -- rows -------------------------------------------------------------------------------------


def test_rows_of_a_long_game_are_read_in_pieces(tmp_path: Path) -> None:
    with closing(EventLog(tmp_path)) as log:
        rows = tuple(a_row(n % 60) for n in range(1200))
        log.append("g1", rows)
        assert tuple(log.read("g1")) == rows


def test_the_file_is_in_wal_mode_with_full_synchronisation(tmp_path: Path) -> None:
    with closing(EventLog(tmp_path)) as log:
        assert log._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert log._db.execute("PRAGMA synchronous").fetchone() == (2,)


def test_the_game_that_was_used_last_is_the_current_one(tmp_path: Path) -> None:
    with closing(EventLog(tmp_path)) as log:
        for game in ("g1", "g2", "g3"):
            log.append(game, [a_row(0)])
        log.make_current("g1")
        assert (log.current, log.by_use, log.next_id()) == ("g1", ("g2", "g3", "g1"), "g4")
    with closing(EventLog(tmp_path)) as log:
        assert (log.current, log.games) == ("g1", ("g1", "g2", "g3"))


def test_an_evening_does_not_sit_in_the_journal(tmp_path: Path) -> None:
    with closing(EventLog(tmp_path)) as log:
        for n in range(600):
            log.append("g1", [a_row(n % 60, "x" * 3000 if n % 8 == 0 else None)])
        journal = database.wal_of(log.path).stat().st_size
        assert journal < 2_500_000, "without a copy at any turn's end"
        assert copy_after_turn(log.path, "g1", ended=False) is not None
        log.append("g1", [a_row(0)])
        assert database.wal_of(log.path).stat().st_size < 50_000


def test_a_folder_that_is_a_file_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CannotOpenError) as refusal:
        EventLog(tmp_path / "file")
    assert refusal.value.path == tmp_path / "file" / FILE_NAME


def test_reading_a_file_that_is_not_there_makes_none(tmp_path: Path) -> None:
    with pytest.raises(CannotOpenError):
        saved_games(tmp_path / FILE_NAME)
    assert list(tmp_path.iterdir()) == []


# -- damage -----------------------------------------------------------------------------------

COLUMNS = ("event", "digest", "who", "at", "position", "command_id", "hash")


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("copied", [False, True])
def test_a_changed_row_ends_its_game_unless_a_copy_has_it_and_the_file_is_kept(
    tmp_path: Path, column: str, copied: bool
) -> None:
    rows = written(tmp_path, 12)
    if copied:
        assert copy_after_turn(tmp_path / FILE_NAME, "g1", ended=False)
    other = "zeroblob(32)" if column == "hash" else "'other'"
    change(tmp_path, f"UPDATE row SET {column} = {other} WHERE seq = 8")
    content = (tmp_path / FILE_NAME).read_bytes()
    with closing(EventLog(tmp_path)) as log:
        served = rows if copied else rows[:7]
        assert tuple(log.read("g1")) == served
        (notice,) = log.notices
        if copied:
            assert (notice.key, notice.args) == ("log_notice.mended", {"path": ASIDE})
        else:
            lost = {"table": "g1", "count": 5, "first": 8, "kept": 7, "path": ASIDE}
            assert (notice.key, notice.args) == ("log_notice.rows_lost", lost)
        assert log.append("g1", [a_row(50)])
    assert (tmp_path / ASIDE).read_bytes() == content
    assert opened(tmp_path) == ((*served, a_row(50)), [notice.key])


@pytest.mark.parametrize("gone", [1, 5, 10])
def test_rows_missing_in_the_middle_or_at_an_end_are_noticed(tmp_path: Path, gone: int) -> None:
    rows = written(tmp_path, 10)
    change(tmp_path, f"DELETE FROM row WHERE seq = {gone}")
    assert opened(tmp_path) == (rows[: gone - 1], ["log_notice.rows_lost"])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE chain_end SET seq = 9",
        "UPDATE chain_end SET used = 70",
        "UPDATE chain_end SET seal = zeroblob(32)",
        "DELETE FROM chain_end",
    ],
)
def test_an_end_that_is_unknown_is_said(tmp_path: Path, statement: str) -> None:
    rows = written(tmp_path, 10)
    change(tmp_path, statement)
    assert opened(tmp_path) == (rows, ["log_notice.end_unknown"])


def test_a_state_that_was_changed_is_not_believed_and_comes_from_a_copy(tmp_path: Path) -> None:
    rows = written(tmp_path, 3)
    with closing(EventLog(tmp_path)) as log:
        log.put_state("one", "1")
        log.put_state("two", "2")
        assert log.save()
        assert copy_after_turn(log.path, "g1", ended=False)
        log.put_state("two", "22")
    change(tmp_path, "UPDATE state SET value = '3' WHERE key = 'one'")
    with closing(EventLog(tmp_path)) as log:
        assert (log.state("one", TEXT), log.state("two", TEXT)) == ("1", "22")
        assert tuple(log.read("g1")) == rows


def test_what_is_missing_is_said_until_it_was_seen(tmp_path: Path) -> None:
    written(tmp_path, 10)
    change(tmp_path, "DELETE FROM row WHERE seq = 7")
    for _ in range(2):
        assert opened(tmp_path)[1] == ["log_notice.rows_lost"]
    with closing(EventLog(tmp_path)) as log:
        log.mark_seen(log.notices[0].id)
    assert opened(tmp_path)[1] == []


@pytest.mark.parametrize("content", [b"", b"not a database" * 500])
def test_what_is_no_database_at_all_is_kept_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    assert opened(tmp_path) == ((), ["log_notice.nothing_saved"])
    assert (tmp_path / ASIDE).read_bytes() == content


def test_a_first_page_that_is_gone_leaves_the_newest_copy(tmp_path: Path) -> None:
    rows = written(tmp_path, 20)
    assert copy_after_turn(tmp_path / FILE_NAME, "g1", ended=False)
    with closing(EventLog(tmp_path)) as log:
        log.append("g1", [a_row(30)])
    content = (tmp_path / FILE_NAME).read_bytes()
    (tmp_path / FILE_NAME).write_bytes(bytes(4096) + content[4096:])
    assert opened(tmp_path) == (rows, ["log_notice.end_unknown"])


def test_a_copy_bridges_a_gap_and_newer_rows_follow_it(tmp_path: Path) -> None:
    rows = written(tmp_path, 20)
    assert copy_after_turn(tmp_path / FILE_NAME, "g1", ended=False)
    with closing(EventLog(tmp_path)) as log:
        log.append("g1", [a_row(30), a_row(31)])
    change(tmp_path, "UPDATE row SET who = 'other' WHERE seq IN (4, 9, 20)")
    assert opened(tmp_path) == ((*rows, a_row(30), a_row(31)), ["log_notice.mended"])


def test_copies_of_another_evening_fill_nothing(tmp_path: Path) -> None:
    rows = written(tmp_path / "this", 20)
    written(tmp_path / "other", 30, who="other")
    assert copy_after_turn(tmp_path / "other" / FILE_NAME, "g1", ended=False)
    shutil.copytree(tmp_path / "other" / "copies", tmp_path / "this" / "copies")
    change(tmp_path / "this", "UPDATE row SET who = 'x' WHERE seq = 8")
    assert opened(tmp_path / "this") == (rows[:7], ["log_notice.rows_lost"])


def test_damage_at_random_places() -> None:
    """`make stress` has 500 of each."""
    for verdict in (damages(8, 0), torn(8, 0), damages(6, 0, copies=False)):
        assert verdict.ok, verdict


# -- journals ---------------------------------------------------------------------------------


def killed(folder: Path, count: int) -> tuple[tuple[StoredRow, ...], Path]:
    """Make the files that a killed service leaves; return the rows, and the journal's path."""
    rows = tuple(a_row(n) for n in range(count))
    with closing(EventLog(folder / "live")) as log:
        for row in rows:
            log.append("g1", [row])
        shutil.copytree(folder / "live", folder / "killed")
    return rows, database.wal_of(folder / "killed" / FILE_NAME)


def test_a_killed_service_leaves_nothing_to_say(tmp_path: Path) -> None:
    rows, _ = killed(tmp_path, 12)
    assert opened(tmp_path / "killed") == (rows, [])


def test_a_kill_while_the_first_row_of_a_turn_is_written_leaves_nothing_to_say(
    tmp_path: Path,
) -> None:
    """SQLite takes an old journal's rest away only once that row is on the disk."""
    rows = tuple(a_row(n) for n in range(12))
    with closing(EventLog(tmp_path / "live")) as log:
        for row in rows:
            log.append("g1", [row])
        copy_after_turn(log.path, "g1", ended=False)
        with closing(sqlite3.connect(log.path)) as db:  # takes nothing away
            database.put_state(db, "key", "value")
            db.commit()
            shutil.copytree(tmp_path / "live", tmp_path / "killed")
    assert opened(tmp_path / "killed") == (rows, [])


def test_a_torn_journal_opens_as_a_beginning_and_is_said(tmp_path: Path) -> None:
    rows, wal = killed(tmp_path, 30)
    content = wal.read_bytes()
    for size in range(len(content) - 100, 0, -len(content) // 25):
        shutil.copytree(tmp_path / "killed", tmp_path / str(size))
        (tmp_path / str(size) / wal.name).write_bytes(content[:size])
        found, said = opened(tmp_path / str(size))
        assert found == rows[: len(found)] != rows
        assert said == ["log_notice.torn"]


@pytest.mark.parametrize("place", [0, 10, 20, 32 + 3, 32 + 24 + 5, 32 + 5 * (24 + 4096) + 9])
def test_a_bit_in_the_journal_costs_what_follows_it_unless_a_copy_has_it(
    tmp_path: Path, place: int
) -> None:
    """Such a bit is in its head, in that of a frame, or in a page: SQLite says nothing of it."""
    rows, wal = killed(tmp_path, 30)
    content = bytearray(wal.read_bytes())
    content[place] ^= 4
    for copied in (False, True):
        folder = tmp_path / str(copied)
        shutil.copytree(tmp_path / "killed", folder)
        if copied:
            shutil.copytree(tmp_path / "killed", tmp_path / "copied")
            with closing(EventLog(tmp_path / "copied")):
                copy_after_turn(tmp_path / "copied" / FILE_NAME, "g1", ended=False)
            shutil.copytree(tmp_path / "copied" / "copies", folder / "copies")
        (folder / wal.name).write_bytes(content)
        found, said = opened(folder)
        assert found == rows[: len(found)]
        if copied:
            assert (found, said) == (rows, ["log_notice.end_unknown"])
            assert (folder / ASIDE).is_file()
        else:
            assert (len(found) < len(rows), said) == (True, ["log_notice.torn"])


def test_a_journal_without_its_file_is_no_new_log(tmp_path: Path) -> None:
    _, wal = killed(tmp_path, 5)
    (wal.parent / FILE_NAME).unlink()
    assert opened(wal.parent) == ((), ["log_notice.nothing_saved"])


def test_a_copy_without_its_journal_is_recognised_however_short_the_game(tmp_path: Path) -> None:
    with closing(EventLog(tmp_path / "live")) as log:
        for count in range(3):
            copy = tmp_path / str(count)
            copy.mkdir()
            shutil.copy(log.path, copy / FILE_NAME)
            assert opened(copy)[1] == ["log_notice.incomplete_copy"]
            log.append("g1", [a_row(count)])
    shutil.copytree(tmp_path / "live", tmp_path / "whole")
    rows, said = opened(tmp_path / "whole")
    assert (len(rows), said) == (3, [])


# -- other files ------------------------------------------------------------------------------


def test_a_log_whose_file_acts_by_itself_gives_its_rows_to_a_new_one(tmp_path: Path) -> None:
    rows = written(tmp_path, 5)
    change(tmp_path, EATS)
    with closing(EventLog(tmp_path)) as log:
        assert tuple(log.read("g1")) == rows
        assert [one.key for one in log.notices] == ["log_notice.mended"]
        more = tuple(a_row(n) for n in range(20, 25))
        assert all(log.append("g1", [row]) for row in more)
    assert opened(tmp_path)[0] == (*rows, *more)


def test_a_view_that_never_ends_is_never_read(tmp_path: Path) -> None:
    rows = written(tmp_path, 5)
    change(
        tmp_path,
        "ALTER TABLE state RENAME TO kept",
        "CREATE VIEW state AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
        " SELECT x AS key, '' AS value, x'00' AS seal FROM c",
    )
    assert saved_rows(tmp_path / FILE_NAME, "g1") == rows
    assert opened(tmp_path)[0] == rows


def test_a_file_of_a_newer_version_is_kept_aside(tmp_path: Path) -> None:
    written(tmp_path, 5)
    change(
        tmp_path,
        "ALTER TABLE row RENAME TO event",
        "ALTER TABLE chain_end ADD COLUMN colour TEXT",
        "PRAGMA user_version = 2",
    )
    content = (tmp_path / FILE_NAME).read_bytes()
    assert opened(tmp_path) == ((), ["log_notice.newer_file"])
    assert (tmp_path / ASIDE).read_bytes() == content


@pytest.mark.parametrize("place", [60, 63, 68, 71])
def test_a_flipped_bit_of_the_version_is_damage_and_no_other_version(
    tmp_path: Path, place: int
) -> None:
    rows = written(tmp_path, 4)
    content = bytearray((tmp_path / FILE_NAME).read_bytes())
    content[place] ^= 1 << random.Random(place).randrange(8)
    (tmp_path / FILE_NAME).write_bytes(content)
    assert opened(tmp_path) == (rows, ["log_notice.mended"])


# -- replacing --------------------------------------------------------------------------------


def interrupted(step: int, act: Callable[[], object]) -> bool:
    """Pull the plug when a file is put in place for the time `step`; whether it came to that."""
    left = step

    def counted(put: Callable[..., Path]) -> Callable[..., Path]:
        def puts(*given: Path) -> Path:
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt(*given)
            return put(*given)

        return puts

    with pytest.MonkeyPatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(Path, "rename", counted(Path.rename))
        patch.setattr(Path, "replace", counted(Path.replace))
        act()
    return left <= 0


@pytest.mark.parametrize("step", range(1, 6))
def test_a_plug_pulled_at_any_step_of_a_replacement_loses_nothing(
    tmp_path: Path, step: int
) -> None:
    """The journal of the damaged file must neither be lost nor meet the new file."""
    rows, wal = killed(tmp_path, 20)
    folder = wal.parent
    change_of_page(folder / FILE_NAME)
    interrupted(step, lambda: EventLog(folder).close())
    assert opened(folder)[0] == rows
    assert len([one for one in folder.iterdir() if one.name.endswith("-wal")]) <= 1


def change_of_page(path: Path) -> None:
    """Make the file one that is replaced, and of which SQL can read everything."""
    content = bytearray(path.read_bytes())
    content[71] ^= 1  # of the id of the application
    path.write_bytes(content)


def test_an_unfinished_new_file_is_no_log(tmp_path: Path) -> None:
    rows = written(tmp_path, 3)
    (tmp_path / f"{FILE_NAME}.part").write_bytes(b"half a file")
    assert opened(tmp_path) == (rows, [])
    (tmp_path / FILE_NAME).rename(tmp_path / f"{FILE_NAME}.new")
    assert opened(tmp_path) == (rows, [])

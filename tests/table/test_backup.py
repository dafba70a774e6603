"""Copies at the end of turns, backups, and the check of a log."""

from __future__ import annotations

import json
import shutil
import threading
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.engine import RULESETS, Corrected, Correction, Number, Seat
from companion.service.app import create_app
from companion.service.app_state import AppState
from companion.service.settings import Settings
from companion.table import Table, backup
from companion.table.backup import back_up, copy_after_turn
from companion.table.database import FILE_NAME
from companion.table.log import EventLog, FolderLock
from tests.service.phone import Phone, app_state_of
from tests.table.test_log import EATS, TEXT, a_row, change, interrupted, opened, written
from tests.table.test_table import play, say, started, step
from tests.waiting import WITHIN_S


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def refused(*words: str | Path, names: str) -> None:
    """Assert exit status 2 with one line that names the problem."""
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert names in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Make the data folder of a closed service, with a game and something beside it."""
    table = started(tmp_path / "data", min(RULESETS))
    play(table, 2)
    table._log.put_state("who", "Ana")
    table.close()
    return tmp_path / "data"


@pytest.fixture
def saved(data: Path) -> Path:
    path = data.parent / "evening.db"
    assert run("backup", path, "--data", data).exit_code == 0
    return path


def digest_of(table: Table) -> str:
    """Return the digest of its position."""
    position = table.snapshot().state.position
    assert position is not None
    return position.digest()


def digest(folder: Path) -> str:
    """Return the digest of the log's last position."""
    with closing(log := EventLog(folder)):
        assert log.notices == ()
        return digest_of(Table(log))


# -- backup and restore -----------------------------------------------------------------------


def test_a_backup_made_under_load_restores_to_a_true_beginning(tmp_path: Path) -> None:
    table = started(tmp_path / "data", min(RULESETS))
    path = tmp_path / "data" / FILE_NAME
    digests = {table.snapshot().rev: digest_of(table)}
    stop = threading.Event()

    def act() -> None:
        while not stop.is_set():
            value = table.snapshot().rev % 10
            rev = say(table, Corrected((Correction(Seat(0), Number.ENERGY, value),)))
            digests[rev] = digest_of(table)

    writer = threading.Thread(target=act)
    writer.start()
    rows = []
    for n in range(5):
        found, incomplete = back_up(path, tmp_path / f"{n}.db")
        rows.append(found.ends["g1"].seq)
        assert not incomplete
        assert copy_after_turn(path, "g1", ended=False) is not None
    stop.set()
    writer.join(WITHIN_S)
    assert table.snapshot().saved
    table.close()
    assert len(set(rows)) > 1, "nobody played"
    for n, count in enumerate(rows):
        assert run("restore", tmp_path / f"{n}.db", "--data", tmp_path / str(n)).exit_code == 0
        assert digest(tmp_path / str(n)) == digests[count]


def test_everything_comes_back_and_what_was_there_is_kept(data: Path, saved: Path) -> None:
    before = digest(data)
    with closing(table := Table(EventLog(data))):
        play(table, 4)
        table._log.put_state("who", "Ben")
        assert table.save()
        assert copy_after_turn(table._log.path, "g1", ended=False)
    after = digest(data)
    refused("restore", saved, "--data", data, names="--force")
    assert digest(data) == after
    result = run("restore", saved, "--data", data, "--force")
    assert result.exit_code == 0, result.output
    assert digest(data) == before
    assert not (data / "copies").exists(), "else they would bring back what was replaced"
    kept = data / "before.restore-1"
    assert str(kept) in result.stdout
    assert digest(kept) == after
    assert len([*(kept / "copies").iterdir()]) == 1
    for folder, who in ((data, "Ana"), (kept, "Ben")):
        with closing(EventLog(folder)) as log:
            assert log.state("who", TEXT) == who


def test_a_journal_of_before_never_meets_the_log_that_was_brought_back(
    data: Path, saved: Path
) -> None:
    before = digest(data)
    with closing(table := Table(EventLog(data))):
        play(table, 4)
        shutil.copytree(data, data.parent / "killed")
    killed = data.parent / "killed"
    assert (killed / f"{FILE_NAME}-wal").stat().st_size
    assert run("restore", saved, "--data", killed, "--force").exit_code == 0
    assert digest(killed) == before


@pytest.mark.parametrize("step", range(1, 7))
def test_a_plug_pulled_while_a_backup_comes_back_leaves_the_old_log_or_the_new(
    data: Path, saved: Path, step: int
) -> None:
    before = digest(data)
    with closing(table := Table(EventLog(data))):
        play(table, 4)
        assert copy_after_turn(table._log.path, "g1", ended=False)
        play(table, 1)
        shutil.copytree(data, data.parent / "killed")
    killed, after = data.parent / "killed", digest(data)
    assert interrupted(step, lambda: backup.restore(saved, killed / FILE_NAME))
    assert digest(killed) in (before, after)


def test_a_running_service_keeps_its_folder(data: Path, saved: Path) -> None:
    lock = FolderLock(data)
    lock.take()
    refused("restore", saved, "--data", data, "--force", names=str(data))
    lock.release()


NO_TEXT = "a table whose form is no text"


@pytest.mark.parametrize(
    "harm",
    ["UPDATE row SET who = 'x' WHERE seq = 3", "DELETE FROM row WHERE seq = 3", EATS, NO_TEXT],
)
def test_a_damaged_log_is_neither_backed_up_nor_brought_back(
    data: Path, saved: Path, harm: str
) -> None:
    if harm == NO_TEXT:
        content = (data / FILE_NAME).read_bytes()
        (data / FILE_NAME).write_bytes(content.replace(b"CREATE TABLE row", b"CREATE TABL\xff row"))
    else:
        change(data, harm)
    result = run("backup", data.parent / "second.db", "--data", data)
    assert (result.exit_code, result.stdout) == (1, "")
    assert not (data.parent / "second.db").exists()
    refused("restore", data / FILE_NAME, "--data", data.parent / "new", names="older backup")
    assert not (data.parent / "new").exists()


# -- copies -----------------------------------------------------------------------------------


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "copies").iterdir())


def copied(app_state: AppState) -> list[str]:
    """Return the names of the copies, once those that wait are made."""
    app_state._copies._workers.submit(int).result(WITHIN_S)
    return names(app_state.settings.data)


def begun(tmp_path: Path) -> tuple[Phone, AppState]:
    """Make a phone at a table whose first game begins, and the service."""
    app = create_app(Settings(data=tmp_path / "data"))
    host, app_state = Phone(app).join(), app_state_of(app)
    host.set_up(min(RULESETS))
    return host, app_state


def end(host: Phone, app_state: AppState) -> None:
    """Play a turn, and end the game."""
    play(app_state.table, 1)
    for seat in range(1, len(host.game().seats)):
        say(app_state.table, Corrected((Correction(Seat(seat), Number.HEALTH, 0),)))
    while (event := step(app_state.table)) is not None:
        say(app_state.table, event)


def test_each_turn_is_copied_once_when_it_ends_and_each_game(tmp_path: Path) -> None:
    host, app_state = begun(tmp_path)
    for _ in range(2):
        assert copied(app_state) == ["000001-g1.db"]
        say(app_state.table, Corrected())
    play(app_state.table, 1)
    assert copied(app_state) != ["000001-g1.db"]
    end(host, app_state)
    found = copied(app_state)
    assert [name.partition("-")[2] for name in found][-1] == "g1-ended.db"
    app_state.close()
    (tmp_path / "copy").mkdir()
    (tmp_path / "data" / "copies" / found[-1]).rename(tmp_path / "copy" / FILE_NAME)
    assert opened(tmp_path / "copy") == opened(tmp_path / "data")


def test_an_end_undone_and_brought_back_again_and_again_is_copied_once_more(
    tmp_path: Path,
) -> None:
    host, app_state = begun(tmp_path)
    end(host, app_state)
    before = copied(app_state)
    goes_on = threading.Event()
    app_state._copies._workers.submit(goes_on.wait)  # a slow disk
    for _ in range(5):
        undo = host.view().undo
        assert undo is not None
        host.say({"type": "Undone", "seq": undo.seq})
        redo = host.view().redo
        assert redo is not None
        host.say({"type": "Redone", "seq": redo.seq})
    goes_on.set()
    assert copied(app_state)[-1] == f"{int(before[-1][:6]) + 1:06}-g1-ended.db"
    app_state.close()


def test_the_newest_two_copies_are_kept_and_one_of_each_of_ten_ended_games(tmp_path: Path) -> None:
    with closing(EventLog(tmp_path)) as log:
        for n in range(1, backup.GAMES_KEPT + 3):
            for over in (False, True, False, True):
                log.append(f"g{n}", [a_row(n)])
                assert copy_after_turn(log.path, f"g{n}", ended=over) is not None
    kept = [f"{4 * n:06}-g{n}-ended.db" for n in range(3, backup.GAMES_KEPT + 3)]
    last = 4 * n
    assert names(tmp_path) == sorted([*kept, f"{last - 3:06}-g{n}.db", f"{last - 1:06}-g{n}.db"])


def test_a_log_that_is_damaged_during_play_replaces_no_copy(tmp_path: Path) -> None:
    written(tmp_path, 12)
    assert copy_after_turn(tmp_path / FILE_NAME, "g1", ended=False) is not None
    change(tmp_path, "UPDATE row SET who = 'other' WHERE seq = 8")
    assert copy_after_turn(tmp_path / FILE_NAME, "g1", ended=False) is None
    assert names(tmp_path) == ["000001-g1.db"]


def test_a_disk_that_refuses_a_copy_ends_nothing(tmp_path: Path) -> None:
    written(tmp_path, 3)
    (tmp_path / "copies").write_text("in the way")
    assert copy_after_turn(tmp_path / FILE_NAME, "g1", ended=False) is None


# -- log check --------------------------------------------------------------------------------


def test_a_whole_log_is_proven(data: Path) -> None:
    result = run("log", "check", "--data", data)
    rows = len(opened(data)[0])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{FILE_NAME}: g1: {rows} rows, {rows} proven\n"


def test_what_is_damaged_now_and_what_was_lost_before_are_both_said(tmp_path: Path) -> None:
    written(tmp_path, 30)
    change(tmp_path, "UPDATE row SET who = 'other' WHERE seq = 27")
    content = (tmp_path / FILE_NAME).read_bytes()
    now = run("log", "check", "--data", tmp_path)
    assert now.exit_code == 1
    assert f"{FILE_NAME}: g1: 26 rows, 26 proven" in now.stdout
    assert "row 27-30" in now.stdout
    assert FILE_NAME in now.stderr
    assert (tmp_path / FILE_NAME).read_bytes() == content
    opened(tmp_path)
    later = run("log", "check", "--data", tmp_path, "--json")
    assert (later.exit_code, later.stderr) == (1, "")
    (game,) = (json.loads(line) for line in later.stdout.splitlines())
    assert (game["table"], game["rows"], game["proven"]) == ("g1", 26, 26)
    assert game["lost"] == [{"first": 27, "last": 30, "aside": f"{FILE_NAME}.aside-1"}]


# -- looking changes nothing -------------------------------------------------------------------


def as_it_is(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file of a folder, with its time of change."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def copy_of_live(folder: Path, *parts: str) -> Path:
    """Copy a running service's files, as far as they are included."""
    with closing(EventLog(folder / "live")) as log:
        log.append("g1", [a_row(n) for n in range(3)])
        (folder / "copy").mkdir()
        for part in ("", *parts):
            name = f"{FILE_NAME}{part}"
            shutil.copy(folder / "live" / name, folder / "copy" / name)
    return folder / "copy"


LOOKING = (("log", "check"), ("backup", "one.db"), ("replay",), ("log", "check", "--json"))


@pytest.mark.parametrize("words", LOOKING, ids=lambda words: " ".join(words))
@pytest.mark.parametrize("kind", ["closed", "alone", "with journal", "with all"])
def test_looking_at_a_folder_changes_nothing_in_it(
    data: Path, kind: str, words: tuple[str, ...]
) -> None:
    parts = {"with journal": ("-wal",), "with all": ("-wal", "-shm")}.get(kind, ())
    folder = data if kind == "closed" else copy_of_live(data.parent, *parts)
    before = as_it_is(folder)
    if words[0] == "backup":
        words = ("backup", str(data.parent / "one.db"))
    given = (str(folder),) if words[0] == "replay" else ("--data", str(folder))
    run(*words, *given)
    changed = {name for name, is_ in as_it_is(folder).items() if before.get(name) != is_}
    assert changed <= ({f"{FILE_NAME}-shm"} if kind == "with all" else set())
    rows, said = opened(folder)
    assert said == (["log_notice.incomplete_copy"] if kind == "alone" else [])
    if kind.startswith("with "):
        assert rows == tuple(a_row(n) for n in range(3))


INCOMPLETE = f"This log seems to be a copy without {FILE_NAME}-wal"


def test_what_reads_a_copy_without_its_journal_says_that_it_is_incomplete(data: Path) -> None:
    part, copy = data.parent / "part", data.parent / "copy"
    part.mkdir()
    with closing(Table(EventLog(data))) as table:
        say(table, Corrected())
        shutil.copy(data / FILE_NAME, part)
        shutil.copytree(data, copy)
    for _ in range(2):  # a look makes no journal
        result = run("log", "check", "--data", part)
        assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    for words in (("replay", part), ("replay", part / FILE_NAME), ("export", "g1", "--data", part)):
        result = run(*words)
        assert result.exit_code == 0
        assert result.stderr.startswith(INCOMPLETE)
    for whole in (data, copy):
        assert run("replay", whole).stderr == run("export", "g1", "--data", whole).stderr == ""
    new = copy_of_live(data.parent / "new")
    for words in (("replay", new), ("export", "g1", "--data", new)):
        result = run(*words)
        assert result.exit_code == 2
        assert result.stderr.startswith(INCOMPLETE)
        assert f"There are no games in {new} yet." in result.stderr

"""Backups under load, restoring them, malicious archives, and snapshots."""

from __future__ import annotations

import hashlib
import io
import json
import random
import resource
import shutil
import sqlite3
import stat
import struct
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from companion.storage.copies import backups
from companion.storage.copies.backups import Manifest, back_up, restore_files, unpacked_backup
from companion.storage.schema import Schema
from tests.storage.test_log_disk import read_only
from tests.storage.test_log_versions import newer_file

from companion.cli import main
from companion.engine import RULESETS, Corrected, Correction, Number, Position, Seat
from companion.service.app import create_app
from companion.service.app_state import AppState
from companion.service.settings import Settings
from companion.storage.files import write_atomically
from companion.table import Table
from companion.table.database import FILE_NAME
from companion.table.log import EventLog, FolderLock
from tests.service.phone import Phone, app_state_of
from tests.table.test_log import a_row, written
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
    """Make the data folder of a closed service, with a game and a list of browsers."""
    table = started(tmp_path / "data", min(RULESETS))
    play(table, 2)
    table.close()
    (tmp_path / "data" / "browsers.json").write_text("[]")
    return tmp_path / "data"


@pytest.fixture
def backup(data: Path) -> Path:
    path = data.parent / "evening.zip"
    assert run("backup", path, "--data", data).exit_code == 0
    return path


def digest(folder: Path) -> str:
    """Return the digest of the log's last position."""
    log = EventLog(folder)
    assert (log.notices, log.losses) == ((), ())
    game = Table(log).snapshot().state.game
    log.close()
    assert game is not None
    return Position.of(game).digest()


# -- backup and restore -----------------------------------------------------------------------


def test_a_backup_made_under_load_restores_to_a_true_beginning(tmp_path: Path) -> None:
    table = started(tmp_path / "data", min(RULESETS))
    digests = {table.snapshot().rev: Position.of(table.snapshot().state.game).digest()}  # type: ignore[arg-type]
    stop = threading.Event()

    def act() -> None:
        while not stop.is_set():
            value = table.snapshot().rev % 10
            rev = say(table, Corrected((Correction(Seat(0), Number.ENERGY, value),)))
            digests[rev] = Position.of(table.snapshot().state.game).digest()  # type: ignore[arg-type]

    writer = threading.Thread(target=act)
    writer.start()
    manifests = [back_up(tmp_path / "data", tmp_path / f"{n}.zip") for n in range(5)]
    stop.set()
    writer.join(WITHIN_S)
    assert table.snapshot().saved
    table.close()
    assert len({manifest.tables["g1"].rows for manifest in manifests}) > 1, "nobody played"
    for n, manifest in enumerate(manifests):
        assert run("restore", tmp_path / f"{n}.zip", "--data", tmp_path / str(n)).exit_code == 0
        assert digest(tmp_path / str(n)) == digests[manifest.tables["g1"].rows]


def test_everything_comes_back_and_what_was_there_is_kept(data: Path, backup: Path) -> None:
    before = digest(data)
    browsers = data / "browsers.json"
    table = Table(EventLog(data))
    play(table, 4)
    table.close()
    after = digest(data)
    browsers.write_text('["somebody"]')
    refused("restore", backup, "--data", data, names="--force")
    assert digest(data) == after
    result = run("restore", backup, "--data", data, "--force")
    assert result.exit_code == 0, result.output
    assert digest(data) == before
    assert browsers.read_text() == "[]"
    kept = data / "before.restore-1"
    assert str(kept) in result.stdout
    assert digest(kept) == after
    assert (kept / "browsers.json").read_text() == '["somebody"]'


def test_a_journal_of_before_never_meets_the_log_that_was_brought_back(
    data: Path, backup: Path
) -> None:
    before = digest(data)
    log = EventLog(data)
    table = Table(log)
    play(table, 4)
    shutil.copytree(data, data.parent / "killed")
    table.close()
    killed = data.parent / "killed"
    assert (killed / f"{FILE_NAME}-wal").stat().st_size
    assert run("restore", backup, "--data", killed, "--force").exit_code == 0
    assert digest(killed) == before


LEFT_BEHIND = ("-wal", "-shm", "-journal", ".rebuilt", ".rebuilt-wal", ".new", ".new-wal")


@pytest.mark.parametrize("name", [FILE_NAME, "table-v1.db"])
@pytest.mark.parametrize("left", LEFT_BEHIND)
def test_what_is_left_of_another_evening_never_meets_the_log_that_was_brought_back(
    data: Path, backup: Path, left: str, name: str
) -> None:
    """No database stands there, so nobody asks for --force, and yet opening would read this."""
    before, folder = digest(data), data.parent / "folder"
    table = Table(EventLog(data))
    play(table, 4)
    source = data / (f"{FILE_NAME}-wal" if left == "-wal" else FILE_NAME)
    content = source.read_bytes()
    table.close()
    folder.mkdir()
    (folder / f"{name}{left}").write_bytes(content)
    result = run("restore", backup, "--data", folder)
    assert result.exit_code == 0, result.output
    kept = folder / "before.restore-1"
    assert [path.name for path in kept.iterdir()] == [f"{name}{left}"]
    assert (kept / f"{name}{left}").read_bytes() == content
    assert str(kept) in result.stdout
    assert digest(folder) == before
    assert not [path.name for path in folder.glob("table*") if path.name.endswith(("new", "built"))]


@pytest.mark.parametrize("step", range(1, 7))
def test_a_plug_pulled_while_a_backup_comes_back_leaves_the_old_log_or_the_new(
    data: Path, backup: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest(data)
    table = Table(EventLog(data))
    play(table, 4)
    shutil.copytree(data, data.parent / "killed")
    table.close()
    killed, after, left = data.parent / "killed", digest(data), step
    replace, unlink = Path.replace, Path.unlink

    def counted() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt

    def replacing(path: Path, target: str | Path) -> Path:
        counted()
        return replace(path, target)

    def unlinking(path: Path, missing_ok: bool = False) -> None:
        counted()
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "replace", replacing)
    monkeypatch.setattr(Path, "unlink", unlinking)
    with suppress(KeyboardInterrupt), unpacked_backup(backup, killed, Schema()) as (made, manifest):
        restore_files(made, killed, manifest)
    assert left <= 0, "nothing was interrupted"
    monkeypatch.undo()
    assert digest(killed) in (before, after)


def test_a_running_service_keeps_its_folder(data: Path, backup: Path) -> None:
    lock = FolderLock(data)
    lock.take()
    refused("restore", backup, "--data", data, "--force", names=str(data))
    lock.release()


def test_a_damaged_log_is_neither_backed_up_nor_brought_back(data: Path, backup: Path) -> None:
    content = (data / FILE_NAME).read_bytes()
    (data / FILE_NAME).write_bytes(content.replace(b"GameStarted", b"GameStopped"))
    result = run("backup", data.parent / "second.zip", "--data", data)
    assert (result.exit_code, result.stdout) == (1, "")
    assert not (data.parent / "second.zip").exists()
    repacked(backup, FILE_NAME, lambda found: found.replace(b"GameStarted", b"GameStopped"))
    refused("restore", backup, "--data", data, "--force", names="older backup")


def test_a_backup_of_a_newer_version_is_not_brought_back(data: Path, backup: Path) -> None:
    def newer(content: bytes) -> bytes:
        manifest = json.loads(content)
        return json.dumps(manifest | {"format": 2}).encode()

    repacked(backup, backups.MANIFEST, newer, mend=False)
    refused("restore", backup, "--data", data.parent / "new", names="newer")


@pytest.mark.parametrize("missing", ["nothing", "data"])
def test_a_folder_without_a_log_is_no_backup(tmp_path: Path, missing: str) -> None:
    (tmp_path / "data").mkdir()
    refused("backup", tmp_path / "one.zip", "--data", tmp_path / missing, names=missing)


def test_a_place_that_cannot_be_written_is_named(data: Path) -> None:
    refused("backup", data.parent / "no" / "one.zip", "--data", data, names=str(data.parent / "no"))
    refused("restore", data.parent / "no.zip", "--data", data.parent / "new", names="no.zip")


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    """Limit files to so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("copied", [False, True])
def test_a_target_that_takes_no_more_is_named_and_nothing_is_left_there(
    data: Path, copied: bool
) -> None:
    """While the log is copied, or while the archive is written."""
    if copied:
        (data / "large.json").write_bytes(random.Random(1).randbytes(900_000))
    size = (data / FILE_NAME).stat().st_size
    target = data.parent / "target"
    target.mkdir()
    with full_disk(900_000 if copied else size // 2):
        refused("backup", target / "one.zip", "--data", data, names="one.zip")
    assert list(target.iterdir()) == []
    assert run("backup", target / "one.zip", "--data", data).exit_code == 0
    assert [path.name for path in target.iterdir()] == ["one.zip"]


def test_a_backup_holds_no_more_than_can_be_brought_back_and_says_what_it_leaves_out(
    data: Path,
) -> None:
    for n in range(30):
        (data / f"a{n:02}.json").write_text(f"[{n}]")
    (data / "huge.txt").write_bytes(bytes(backups.MOST_SMALL_FILE + 1))
    result = run("backup", data.parent / "one.zip", "--data", data)
    assert result.exit_code == 0, result.output
    found = members(data.parent / "one.zip")
    assert len(found) == backups.MOST_FILES
    assert {FILE_NAME, "browsers.json", "a00.json", "a20.json"} <= found.keys()
    manifest = msgspec.json.decode(found[backups.MANIFEST], type=Manifest)
    out = (*(f"a{n:02}.json" for n in range(21, 30)), "huge.txt")
    assert manifest.left_out == out
    assert result.stderr.splitlines() == [
        "The backup leaves out 10 files, since none can hold them:"
        " a21.json, a22.json, a23.json, a24.json, a25.json."
    ]
    assert run("restore", data.parent / "one.zip", "--data", data.parent / "new").exit_code == 0
    assert digest(data.parent / "new") == digest(data)


def beside_another_program(folder: Path) -> bytes:
    """Have the folder's log move aside for another program's database; return that one's bytes."""
    (folder / FILE_NAME).rename(folder / "table-v1.db")
    with closing(sqlite3.connect(folder / FILE_NAME)) as db, db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    return (folder / FILE_NAME).read_bytes()


def test_a_file_of_another_program_keeps_no_game_from_being_backed_up(data: Path) -> None:
    before = digest(data)
    beside_another_program(data)
    result = run("backup", data.parent / "one.zip", "--data", data)
    assert result.exit_code == 0, result.output
    assert result.stderr == (
        f"The backup leaves out 1 file, since none can hold it: {FILE_NAME}.\n"
    )
    assert run("restore", data.parent / "one.zip", "--data", data.parent / "new").exit_code == 0
    assert [path.name for path in (data.parent / "new").glob("*.db")] == ["table-v1.db"]
    assert digest(data.parent / "new") == before, "its games are found by that name, too"


def test_a_restore_leaves_the_file_of_another_program_where_it_is(data: Path) -> None:
    other = beside_another_program(data)
    (data / f"{FILE_NAME}-journal").write_bytes(b"of that program")
    assert run("backup", data.parent / "one.zip", "--data", data).exit_code == 0
    (data / "table-v1.db").write_bytes(b"damaged")
    assert run("restore", data.parent / "one.zip", "--data", data, "--force").exit_code == 0
    assert (data / FILE_NAME).read_bytes() == other
    assert (data / f"{FILE_NAME}-journal").read_bytes() == b"of that program"
    log = EventLog(data)
    assert (log.path.name, log.games, log.losses) == ("table-v1.db", ("g1",), ())
    log.close()


def test_a_small_file_that_no_backup_would_hold_is_kept_before_it_is_replaced(
    data: Path, backup: Path
) -> None:
    large = bytes(backups.MOST_SMALL_FILE + 1)
    (data / "browsers.json").write_bytes(large)
    assert run("restore", backup, "--data", data, "--force").exit_code == 0
    assert (data / "before.restore-1" / "browsers.json").read_bytes() == large


def test_more_logs_than_a_backup_may_hold_are_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = (data / FILE_NAME).stat().st_size
    for n in range(1, 22):
        shutil.copy(data / FILE_NAME, data / f"table-v{n}.db")
    assert run("backup", data.parent / "most.zip", "--data", data).exit_code == 0
    assert run("restore", data.parent / "most.zip", "--data", data.parent / "a").exit_code == 0
    shutil.copy(data / FILE_NAME, data / "table-v22.db")
    refused("backup", data.parent / "one.zip", "--data", data, names="24 files")
    (data / "table-v22.db").unlink()
    monkeypatch.setattr(backups, "MOST_BYTES", backups.MOST_SMALL_FILE + 22 * size - 1)
    refused("backup", data.parent / "one.zip", "--data", data, names=f"{data} holds more than")
    assert not (data.parent / "one.zip").exists()


def test_a_log_that_no_backup_can_hold_is_refused_at_once(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "MOST_DATABASE", 10_000)
    refused("backup", data.parent / "one.zip", "--data", data, names=FILE_NAME)
    assert sorted(path.name for path in data.parent.iterdir()) == ["data"]


def test_what_was_played_beside_a_newer_file_comes_back_with_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    newer_file(data, "g1")
    log = EventLog(data)
    log.append("g2", [a_row(1)])
    log.close()
    assert run("backup", tmp_path / "one.zip", "--data", data).exit_code == 0
    assert run("restore", tmp_path / "one.zip", "--data", tmp_path / "new").exit_code == 0
    log = EventLog(tmp_path / "new")
    assert (log.games, log.read_only) == (("g1", "g2"), frozenset({"g1"}))
    log.close()
    (data / "table-v1.db").unlink()
    assert run("backup", tmp_path / "two.zip", "--data", data).exit_code == 0
    refused("restore", tmp_path / "two.zip", "--data", tmp_path / "other", names="newer")


@pytest.mark.parametrize("harm", ["nothing there", "no archive"])
def test_a_backup_that_cannot_be_brought_back_makes_no_folder(tmp_path: Path, harm: str) -> None:
    if harm == "no archive":
        no_archive(tmp_path / "one.zip")
    new = tmp_path / "new" / "data"
    refused("restore", tmp_path / "one.zip", "--data", new, names="one.zip")
    assert not new.parent.exists()


def test_one_game_is_no_games(data: Path, backup: Path) -> None:
    log = EventLog(data)
    log.append("g2", [a_row(1)])
    rows = log.count("g1")
    log.close()
    new = data.parent / "new"
    one, two = data.parent / "one.zip", data.parent / "two.zip"
    assert run("backup", two, "--data", data).stdout == f"{two} holds 2 games; rows: {rows + 1}.\n"
    result = run("restore", backup, "--data", new)
    assert result.stdout == f"{new} is as in the backup: 1 game; rows: {rows}.\n"
    assert run("backup", one, "--data", new).stdout == f"{one} holds 1 game; rows: {rows}.\n"
    assert run("log", "check", "--data", data).stdout.endswith("g2: 1 row, 1 proven\n")


def test_a_small_file_is_whole_or_as_before(tmp_path: Path) -> None:
    path = tmp_path / "address.txt"
    write_atomically(path, b"first")
    with full_disk(1_000), pytest.raises(OSError, match="large"):
        write_atomically(path, bytes(10_000))
    assert path.read_bytes() == b"first"
    write_atomically(path, b"second")
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [(path.name, b"second")]


# -- archives that mean harm ------------------------------------------------------------------


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def repacked(path: Path, name: str, change: Callable[[bytes], bytes], *, mend: bool = True) -> None:
    """Replace a member of the archive, with a matching manifest (`mend`)."""
    found = members(path)
    found[name] = change(found[name])
    if mend:
        manifest = json.loads(found[backups.MANIFEST])
        manifest["files"][name] = {
            "size": len(found[name]),
            "sha256": hashlib.sha256(found[name]).hexdigest(),
        }
        found[backups.MANIFEST] = json.dumps(manifest).encode()
    packed(path, found)


def packed(path: Path, found: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in found.items():
            archive.writestr(name, content)


def with_member(name: str, content: bytes = b"x", mode: int = 0) -> Callable[[Path], None]:
    def add(path: Path) -> None:
        with zipfile.ZipFile(path, "a") as archive:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, content)

    return add


def bomb(path: Path) -> None:
    """Add a member of 600 MB that claims to have ten bytes."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("browsers.json", "w", force_zip64=False) as member,
    ):
        for _ in range(64):
            member.write(bytes(1 << 20))
    content = bytearray(made.getvalue())
    at = content.index(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 10)
    path.write_bytes(content)


def encrypted(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)


def many(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for n in range(5_000):
            archive.writestr(f"a{n}.json", b"")


def more_than_it_says(path: Path) -> None:
    """Make the end record claim two members."""
    with zipfile.ZipFile(path, "w") as archive:
        for n in range(100):
            archive.writestr(f"a{n}.json", b"")
    content = bytearray(path.read_bytes())
    content[-14:-10] = struct.pack("<2H", 2, 2)
    path.write_bytes(content)


def twice(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("browsers.json", b"[]")


def lying_manifest(path: Path) -> None:
    repacked(path, "browsers.json", lambda _: b'["more"]', mend=False)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)


def no_archive(path: Path) -> None:
    path.write_bytes(b"not a zip" * 100)


def zip64(path: Path, *, counted: bool) -> None:
    """Add a second end of the directory, which a reader believes rather than the first. It claims
    another, far longer directory; the first is unchanged, or (`counted`) claims that the second end
    is a part of the directory.
    """
    content = path.read_bytes()
    end = content.rfind(b"PK\x05\x06")
    _, _, _, count, _, length, offset, _ = struct.unpack_from("<4s4H2LH", content, end)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for n in range(1_000):
            archive.writestr(f"a{n}.json", b"")
    other = made.getvalue()
    at = other.rfind(b"PK\x05\x06")
    _, _, _, others, _, others_length, others_offset, _ = struct.unpack_from("<4s4H2LH", other, at)
    directory = other[others_offset : others_offset + others_length]
    second = struct.pack(
        "<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, others, others, others_length, end
    )
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end + len(directory), 1)
    more = directory + second + locator
    if counted:
        length += len(more)
    first = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, length, offset, 0)
    path.write_bytes(content[:end] + more + first)


HOSTILE: dict[str, Callable[[Path], None]] = {
    "absolute path": with_member("/tmp/pwned.json"),
    "parent": with_member("../pwned.json"),
    "folder": with_member("a/b.json"),
    "backslash": with_member("..\\pwned.json"),
    "nul": with_member("new.json\0.sh"),
    "link": with_member("link.json", b"/etc/passwd", stat.S_IFLNK | 0o777),
    "device": with_member("device.json", b"", stat.S_IFCHR | 0o666),
    "another file": with_member("run.sh"),
    "a journal": with_member(f"{FILE_NAME}-wal"),
    "too large": with_member("large.json", bytes(backups.MOST_SMALL_FILE + 1)),
    "bomb": bomb,
    "encrypted": encrypted,
    "many": many,
    "twice": twice,
    "zip64": lambda path: zip64(path, counted=False),
    "zip64 in the directory": lambda path: zip64(path, counted=True),
    "more than it says": more_than_it_says,
    "manifest": lying_manifest,
    "cut off": cut_off,
    "flipped": flipped,
    "empty": lambda path: path.open("wb").close(),
    "no archive": no_archive,
    "no manifest": lambda path: packed(path, {"browsers.json": b"[]"}),
    "no database": lambda path: repacked(path, FILE_NAME, lambda _: b"nothing of the kind"),
}


@pytest.mark.parametrize("harm", HOSTILE)
def test_a_hostile_archive_is_refused_and_changes_nothing(
    data: Path, backup: Path, harm: str
) -> None:
    before = {path.name: path.read_bytes() for path in data.iterdir()}
    HOSTILE[harm](backup)
    refused("restore", backup, "--data", data, "--force", names=str(backup))
    assert {path.name: path.read_bytes() for path in data.iterdir()} == before
    assert sorted(path.name for path in data.parent.iterdir()) == ["data", backup.name]


@pytest.mark.parametrize("counted", [False, True])
def test_a_second_end_of_the_directory_is_refused_before_it_is_read(
    data: Path, backup: Path, counted: bool
) -> None:
    zip64(backup, counted=counted)
    reason = "(zip64)" if counted else "(directory)"
    with zipfile.ZipFile(backup) as archive:
        assert len(archive.namelist()) == 1_000, "no reader is led astray"
    refused("restore", backup, "--data", data.parent / "new", names=reason)


def test_random_damage_of_a_backup_is_refused_or_harmless(data: Path, backup: Path) -> None:
    whole, before, chance = backup.read_bytes(), digest(data), random.Random(3)
    for attempt in range(40):
        content = bytearray(whole)
        for _ in range(chance.choice((1, 4, 40))):
            content[chance.randrange(len(content))] ^= chance.randrange(1, 256)
        backup.write_bytes(content)
        new = data.parent / f"new-{attempt}"
        result = run("restore", backup, "--data", new)
        assert result.exit_code in (0, 2), result.output
        assert not result.exception or isinstance(result.exception, SystemExit)
        if result.exit_code == 0:
            assert digest(new) == before


# -- snapshots --------------------------------------------------------------------------------


def ended(tmp_path: Path) -> tuple[Phone, AppState]:
    """Make a phone at a table whose first game is over, and the service."""
    app = create_app(Settings(data=tmp_path / "data"))
    host, app_state = Phone(app), app_state_of(app)
    host.join()
    host.set_up(min(RULESETS))
    play(app_state.table, 1)
    for seat in range(1, len(host.game().seats)):
        say(app_state.table, Corrected((Correction(Seat(seat), Number.HEALTH, 0),)))
    while (event := step(app_state.table)) is not None:
        say(app_state.table, event)
    return host, app_state


def copied(app_state: AppState) -> list[str]:
    """Return the names of the snapshots, once the requested ones are made."""
    app_state._snapshots._workers.submit(int).result(WITHIN_S)
    return sorted(path.name for path in (app_state.settings.data / "snapshots").iterdir())


def test_a_snapshot_is_made_when_a_game_ends(tmp_path: Path) -> None:
    _, app_state = ended(tmp_path)
    (made,) = copied(app_state)
    assert made == "000001-g1.db"
    app_state.close()
    (tmp_path / "copy").mkdir()
    (tmp_path / "data" / "snapshots" / made).rename(tmp_path / "copy" / FILE_NAME)
    opened = EventLog(tmp_path / "copy")
    assert (opened.notices, opened.rows("g1")) == ((), EventLog(tmp_path / "data").rows("g1"))
    opened.close()


def test_an_end_undone_and_brought_back_again_and_again_is_copied_once_more(
    tmp_path: Path,
) -> None:
    host, app_state = ended(tmp_path)
    assert copied(app_state) == ["000001-g1.db"]
    goes_on = threading.Event()
    app_state._snapshots._workers.submit(goes_on.wait)  # a slow disk
    for _ in range(5):
        undo = host.view().undo
        assert undo is not None
        host.say({"type": "Undone", "seq": undo.seq})
        redo = host.view().redo
        assert redo is not None
        host.say({"type": "Redone", "seq": redo.seq})
    goes_on.set()
    assert copied(app_state) == ["000002-g1.db"]
    app_state.close()


def test_the_newest_snapshot_of_each_game_is_kept_and_ten_games(tmp_path: Path) -> None:
    log, kept = EventLog(tmp_path), backups.KEPT_SNAPSHOTS
    for n in range(1, kept + 3):
        for _ in range(2):
            log.append(f"g{n}", [a_row(n)])
            assert backups.take_snapshot(log.path, f"g{n}") is not None
    log.close()
    names = sorted(path.name for path in (tmp_path / "snapshots").iterdir())
    assert names == [f"{2 * n:06}-g{n}.db" for n in range(3, kept + 3)]


def test_a_snapshot_of_another_log_is_kept_beside_one_of_the_same_name(tmp_path: Path) -> None:
    for n in range(2):
        log = EventLog(tmp_path)
        log.append("g1", [a_row(n)])
        assert backups.take_snapshot(log.path, "g1") is not None
        log.close()
        (tmp_path / FILE_NAME).unlink()
    names = sorted(path.name for path in (tmp_path / "snapshots").iterdir())
    assert names == ["000001-g1.db", "000002-g1.db"]


def test_a_snapshot_fills_what_damage_took(tmp_path: Path) -> None:
    rows = written(tmp_path, 40)
    assert backups.take_snapshot(tmp_path / FILE_NAME, "g1") is not None
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute("UPDATE row SET who = 'other' WHERE seq IN (7, 8, 20)")
    log = EventLog(tmp_path)
    assert log.rows("g1") == rows
    assert [one.key for one in log.notices] == ["log_notice.mended"]
    log.close()


def test_a_snapshot_of_another_evening_fills_nothing(tmp_path: Path) -> None:
    rows = written(tmp_path / "other", 40)
    assert backups.take_snapshot(tmp_path / "other" / FILE_NAME, "g1") is not None
    log = EventLog(tmp_path / "this")
    log.append("g1", rows[:10])
    log.append("g1", rows[20:30])  # the same beginning, and then another evening
    log.close()
    shutil.copytree(tmp_path / "other" / "snapshots", tmp_path / "this" / "snapshots")
    with closing(sqlite3.connect(tmp_path / "this" / FILE_NAME)) as db, db:
        db.execute("UPDATE row SET who = 'other' WHERE seq = 12")
    log = EventLog(tmp_path / "this")
    assert log.losses[0].lost == (12,)
    log.close()


def test_a_disk_that_refuses_a_snapshot_ends_nothing(tmp_path: Path) -> None:
    written(tmp_path, 3)
    (tmp_path / "snapshots").write_text("in the way")
    assert backups.take_snapshot(tmp_path / FILE_NAME, "g1") is None


def test_the_manifest_says_what_is_inside(data: Path, backup: Path) -> None:
    manifest = msgspec.json.decode(members(backup)[backups.MANIFEST], type=Manifest)
    assert set(manifest.files) == {FILE_NAME, "browsers.json"}
    log = EventLog(data)
    assert manifest.tables["g1"].rows == log.count("g1")
    log.close()


# -- log check --------------------------------------------------------------------------------


def test_a_whole_log_is_proven(data: Path) -> None:
    result = run("log", "check", "--data", data)
    rows = len(EventLog(data).rows("g1"))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{FILE_NAME}: g1: {rows} rows, {rows} proven\n"


def test_what_is_damaged_now_and_what_was_lost_before_are_both_said(tmp_path: Path) -> None:
    written(tmp_path, 30)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute("UPDATE row SET who = 'other' WHERE seq IN (7, 8, 20)")
    content = (tmp_path / FILE_NAME).read_bytes()
    now = run("log", "check", "--data", tmp_path)
    assert now.exit_code == 1
    assert f"{FILE_NAME}: g1: 30 rows, 27 proven" in now.stdout
    assert "row 7-8," in now.stdout
    assert FILE_NAME in now.stderr
    assert (tmp_path / FILE_NAME).read_bytes() == content
    EventLog(tmp_path).close()
    later = run("log", "check", "--data", tmp_path, "--json")
    assert (later.exit_code, later.stderr) == (1, "")
    (table,) = (json.loads(line) for line in later.stdout.splitlines())
    assert (table["rows"], table["proven"]) == (30, 27)
    aside = f"{FILE_NAME}.damaged-1"
    assert table["lost"] == [
        {"first": 7, "last": 8, "why": "changed", "aside": aside},
        {"first": 20, "last": 20, "why": "changed", "aside": aside},
    ]


def test_a_log_is_checked_while_it_is_written(tmp_path: Path) -> None:
    table = started(tmp_path, min(RULESETS))
    result = run("log", "check", "--data", tmp_path)
    assert (result.exit_code, result.stdout) == (0, f"{FILE_NAME}: g1: 2 rows, 2 proven\n")
    say(table, Corrected())
    table.close()


# -- looking changes nothing -------------------------------------------------------------------


def as_it_is(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file of a folder, with its time of change."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def copy_of_live(folder: Path, *parts: str) -> Path:
    """Copy a running service's files, as far as they are included."""
    log = EventLog(folder / "live")
    log.append("g1", [a_row(n) for n in range(3)])
    (folder / "copy").mkdir()
    for part in ("", *parts):
        shutil.copy(folder / "live" / f"{FILE_NAME}{part}", folder / "copy" / f"{FILE_NAME}{part}")
    log.append("g1", [a_row(3)])
    log.close()
    return folder / "copy"


LOOKING = (("log", "check"), ("backup", "one.zip"), ("audit",), ("log", "check", "--json"))


@pytest.mark.parametrize("words", LOOKING, ids=lambda words: " ".join(words))
@pytest.mark.parametrize("kind", ["closed", "alone", "with journal", "with all"])
def test_looking_at_a_folder_changes_nothing_in_it(
    data: Path, kind: str, words: tuple[str, ...]
) -> None:
    parts = {"with journal": ("-wal",), "with all": ("-wal", "-shm")}.get(kind, ())
    folder = data if kind == "closed" else copy_of_live(data.parent, *parts)
    before = as_it_is(folder)
    if words[0] == "backup":
        words = ("backup", str(data.parent / "one.zip"))
    given = (str(folder),) if words[0] == "audit" else ("--data", str(folder))
    run(*words, *given)
    changed = {name for name, is_ in as_it_is(folder).items() if before.get(name) != is_}
    assert changed <= ({f"{FILE_NAME}-shm"} if kind == "with all" else set())
    opened = EventLog(folder)
    expected = ["log_notice.incomplete_copy"] if kind == "alone" else []
    assert [one.key for one in opened.notices] == expected
    if kind.startswith("with "):
        assert opened.rows("g1") == tuple(a_row(n) for n in range(3))
    opened.close()


def test_a_copy_without_its_journal_is_no_whole_log(tmp_path: Path) -> None:
    folder = copy_of_live(tmp_path)
    result = run("log", "check", "--data", folder)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{FILE_NAME}-wal" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    again = run("log", "check", "--data", folder)
    assert (again.exit_code, again.stderr) == (1, result.stderr)


def test_a_backup_of_a_copy_without_its_journal_says_so_and_so_does_what_comes_of_it(
    tmp_path: Path,
) -> None:
    folder = copy_of_live(tmp_path)
    result = run("backup", tmp_path / "one.zip", "--data", folder)
    assert result.exit_code == 0
    assert f"{FILE_NAME}-wal" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert run("restore", tmp_path / "one.zip", "--data", tmp_path / "new").exit_code == 0
    opened = EventLog(tmp_path / "new")
    assert [one.key for one in opened.notices] == ["log_notice.incomplete_copy"]
    opened.close()


def test_a_journal_is_read_in_a_folder_that_nobody_may_write_to() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = copy_of_live(Path(name), "-wal")
        with read_only(folder):
            result = run("log", "check", "--data", folder)
    assert (result.exit_code, result.stdout) == (0, f"{FILE_NAME}: g1: 3 rows, 3 proven\n")


def test_a_folder_without_a_log_is_one_line(tmp_path: Path) -> None:
    refused("log", "check", "--data", tmp_path, names=str(tmp_path))
    refused("log", "check", "--data", tmp_path / "none", names="none")
    (tmp_path / FILE_NAME).write_bytes(b"garbage" * 100)
    result = run("log", "check", "--data", tmp_path)
    assert (result.exit_code, result.stdout) == (1, "")

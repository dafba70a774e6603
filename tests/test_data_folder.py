"""The data folder of a command: whose it may be, and what may lie in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import doctor, main

NOBODY = 65_534
COMMANDS = (
    ("backup", "one.zip"), ("doctor",), ("doctor", "--bundle", "-"), ("export", "g1"),
    ("forecast", "g1"), ("log", "check"), ("restore", __file__), ("setup",), ("statistics",),
)  # fmt: skip
"""Every command about a data folder but those that serve."""
PLACES = (
    "settings.toml", "starts", "table.db", "table.db-wal", "mqtt.toml", "listening",
    "invitation", "names.json", "lock", "address.txt",
)  # fmt: skip


def run(folder: Path, *asked: str) -> Result:
    return CliRunner().invoke(main, [*asked, "--data", str(folder)])


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Run as root, or be taken for it; return what gives a file away to another user."""
    given: list[Path] = []
    me, looked = os.geteuid(), Path.lstat

    def seen(path: Path) -> os.stat_result:
        found = list(looked(path))
        if path in given:
            found[4:6] = NOBODY, NOBODY
        elif found[4] == me:
            found[4:6] = 0, 0
        return os.stat_result(found)

    if me == 0:
        return lambda path: os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(Path, "lstat", seen)
    return given.append


@pytest.fixture
def anothers(tmp_path: Path, as_root: Callable[[Path], None]) -> Path:
    """Return a folder of another user, as root."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "kept").write_text("kept")
    as_root(folder)
    return folder


@pytest.mark.parametrize("asked", COMMANDS)
@pytest.mark.parametrize("below", ["", "new"])
def test_root_works_in_no_folder_of_another_user(
    anothers: Path, asked: tuple[str, ...], below: str
) -> None:
    """Not where it would be made, either: its owner could put links there meanwhile."""
    result = run(anothers / below, *asked)
    assert result.exit_code == 2
    assert f"{anothers} belongs to " in result.stderr
    assert "Run this as that user, not as root: sudo -u " in result.stderr
    assert [one.name for one in anothers.iterdir()] == ["kept"]


def test_root_follows_no_link_of_another_user(
    anothers: Path, tmp_path: Path, as_root: Callable[[Path], None]
) -> None:
    """Neither one in a folder of theirs, nor one of theirs elsewhere, whatever it leads to."""
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o700)
    (anothers / "link").symlink_to(mine)
    (tmp_path / "theirs").symlink_to("mine")
    as_root(tmp_path / "theirs")
    for path, named in (("data/link", anothers), ("theirs", tmp_path / "theirs")):
        result = run(tmp_path / path, "setup", "--camera", "none")
        assert result.exit_code == 2
        assert f"{named} belongs to " in result.stderr
    assert not list(mine.iterdir())


@pytest.mark.usefixtures("as_root")
def test_root_follows_its_own_links(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o700)
    (tmp_path / "one").symlink_to(tmp_path / "two" / ".." / "a")
    (tmp_path / "two").symlink_to("a")
    (tmp_path / "new").symlink_to("not_there")
    for path in ("one", "two", "one/../two", "new"):
        assert "There are no games in" in run(tmp_path / path, "log", "check").stderr


@pytest.mark.usefixtures("as_root")
def test_root_works_where_it_alone_may_write(tmp_path: Path) -> None:
    """Below /tmp only in what is there already: else another may make it meanwhile."""
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "data").mkdir(mode=0o700)
    (tmp_path / "open" / "to_new").symlink_to("new")
    for mode, path, is_refused in (
        (0o755, "open", False),
        (0o755, "open/new", False),
        (0o1777, "open/data", False),
        (0o1777, "open/data/new", False),
        (0o1777, "open/new", True),
        (0o1777, "open/to_new", True),
        (0o1777, "open", True),
        (0o1777, "open/data/..", True),
        (0o777, "open/data", True),
    ):
        (tmp_path / "open").chmod(mode)
        result = run(tmp_path / path, "log", "check")
        assert result.exit_code == 2
        assert (f"may write in {tmp_path / 'open'}" in result.stderr) == is_refused


@pytest.mark.usefixtures("as_root")
@pytest.mark.parametrize("path", ["loop", "a" * 300])
def test_a_path_that_leads_nowhere_ends_with_a_sentence(tmp_path: Path, path: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    result = run(tmp_path / path, "log", "check")
    assert result.exit_code == 2
    assert f"Cannot read {tmp_path / path}: " in result.stderr


def test_a_container_asks_for_its_health_whoever_owns_the_volume(
    anothers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "HEALTHY_WITHIN_S", 0)
    result = run(anothers, "doctor", "--health", "--port", "1")
    assert result.exit_code == 1
    assert "service" in result.stdout
    assert "not as root" not in result.stderr


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("asked", ["doctor", "log check", "setup", "export g1", "statistics"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, place: str, asked: str
) -> None:
    os.mkfifo(tmp_path / place)
    result = run(tmp_path, *asked.split())
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert (tmp_path / place).is_fifo()

"""Files that are read, written and locked where somebody else may have put something."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from companion.files import open_lock, open_regular, write_atomically


def test_a_file_and_a_link_to_one_are_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    for name in ("file", "link"):
        with open_regular(tmp_path / name) as opened:
            assert opened.read() == b"content"


def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        open_regular(tmp_path / "pipe")


def test_a_device_that_never_ends_is_refused() -> None:
    with pytest.raises(OSError, match="not a regular file"):
        open_regular(Path("/dev/zero"))


def test_a_folder_and_what_is_not_there_are_refused_by_their_own_names(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="Is a directory"):
        open_regular(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none")


def test_no_descriptor_is_left_of_what_was_refused() -> None:
    free = os.dup(0)
    os.close(free)
    for _ in range(3):
        with pytest.raises(OSError, match="not a regular file"):
            open_regular(Path("/dev/zero"))
    again = os.dup(0)
    os.close(again)
    assert again == free


def test_a_lock_is_made_and_changes_nothing_that_is_there(tmp_path: Path) -> None:
    open_lock(tmp_path / "lock").close()
    assert (tmp_path / "lock").read_bytes() == b""
    (tmp_path / "other").write_bytes(b"content")
    (tmp_path / "link").symlink_to("other")
    open_lock(tmp_path / "link").close()
    assert (tmp_path / "other").read_bytes() == b"content"


def test_a_lock_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    open_lock(tmp_path / "lock").close()


@pytest.mark.parametrize("mode", [None, 0o600])
def test_a_file_is_written_where_a_link_lies_in_the_way(tmp_path: Path, mode: int | None) -> None:
    """What the link leads to stays, and so does a file of a like name."""
    path, other = tmp_path / "help.zip", tmp_path / "help.new"
    other.write_bytes(b"other")
    (tmp_path / "help.zip.new").symlink_to(other)
    path.symlink_to(other)
    write_atomically(path, b"content", mode)
    assert path.read_bytes() == b"content"
    assert not path.is_symlink()
    assert other.read_bytes() == b"other"
    assert mode is None or stat.S_IMODE(path.stat().st_mode) == mode
    assert sorted(one.name for one in tmp_path.iterdir()) == ["help.new", "help.zip"]


@pytest.mark.parametrize("path", ["", ".", "/", ".."])
def test_a_folder_is_not_written_as_a_file(path: str) -> None:
    with pytest.raises(IsADirectoryError):
        write_atomically(Path(path), b"content")

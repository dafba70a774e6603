"""Only files are read where somebody else names what to read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.storage.files import open_regular


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

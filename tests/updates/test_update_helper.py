"""The update helper of the Debian package: what the spool may ask for, and which release serves."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from box_paths import Box, ReleaseError
from box_releases import fits, link, make, prune, served, served_before, switch
from box_update import answer_request, read_request, spool_file

from tests.updates.boxes import (
    ELSEWHERE,
    HERE,
    ID,
    ask,
    ask_back,
    machine,
    package,
    release,
    status_of,
    systemctl,
    wheels,
)


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return machine(tmp_path)


def test_an_update_serves_once_it_has_passed_its_test(box: Box, tmp_path: Path) -> None:
    switch(box, release(box, "old"))
    status = ask(box, package(tmp_path, "2.0"))
    assert (status["ok"], status["step"], status["to"]) == (True, "healthy", "2.0")
    now, before = served(box), served_before(box)
    assert now is not None
    assert now.name.startswith("2.0-py")
    assert before == box.releases / f"old{HERE}"


def test_an_update_that_fails_its_test_changes_nothing(box: Box, tmp_path: Path) -> None:
    old = release(box, "old")
    switch(box, old)
    status = ask(box, package(tmp_path, "2.0", test_fails=True))
    assert (status["ok"], status["step"]) == (False, "refused")
    assert status["reason"] == "the self-test failed: the networks are missing"
    assert served(box) == old
    assert list(box.releases.iterdir()) == [old]


def test_an_update_that_does_not_start_is_stepped_back_from(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older, old = release(box, "older"), release(box, "old")
    link(box, old, older)
    starts_old_alone = f'[ "$(readlink {box.current})" = releases/{old.name} ] && exit 0'
    path = systemctl(box, tmp_path, starts_old_alone, 'echo "Job failed." >&2', "exit 1")
    monkeypatch.setenv("PATH", path)
    status = ask(box, package(tmp_path, "2.0"))
    assert (status["ok"], status["step"]) == (False, "stepped-back")
    assert status["reason"] == "the service does not start: Job failed."
    assert (served(box), served_before(box)) == (old, older)
    assert sorted(box.releases.iterdir()) == [old, older]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"sha256": "0" * 64}, "the package is not the one that was announced; copy it again"),
        ({"size": 1}, "the package is not the one that was announced; copy it again"),
        ({"size": 601 << 20}, "the package is empty or larger than 600 MB"),
        ({"file": "../x.deb"}, "the request names a file that is not its own"),
        ({"action": "erase"}, "the request asks for nothing that is known here"),
    ],
)
def test_a_package_that_was_not_announced_is_refused(
    box: Box, tmp_path: Path, other: dict[str, object], reason: str
) -> None:
    (box.spool / f"{ID}.deb").write_bytes(b"12")
    (tmp_path / "x.deb").write_bytes(b"12")
    request = {
        "form": 1,
        "id": ID,
        "action": "install",
        "file": f"{ID}.deb",
        "size": 2,
        "sha256": "1" * 64,
    }
    (box.spool / "request.json").write_text(json.dumps(request | other))
    assert not answer_request(box)
    assert not (box.spool / "request.json").exists()
    assert json.loads((box.spool / "status.json").read_text())["reason"] == reason


def test_a_package_of_something_else_is_refused(box: Box, tmp_path: Path) -> None:
    status = ask(box, package(tmp_path, "2.0", name="other-table"))
    assert status["reason"] == "this is a package of other-table, not of monster-table"


def test_what_is_no_package_is_refused(box: Box, tmp_path: Path) -> None:
    (tmp_path / "x.deb").write_bytes(b"no package")
    assert ask(box, tmp_path / "x.deb")["step"] == "refused"


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"form": 2}', b"[" * 4000, b'{"form": 1, "id": 7}']
)
def test_a_request_that_is_nonsense_is_taken_away(box: Box, content: bytes) -> None:
    (box.spool / "request.json").write_bytes(content)
    assert not answer_request(box)
    assert [path.name for path in box.spool.iterdir()] == ["status.json"]


def test_a_request_that_was_withdrawn_is_none(box: Box) -> None:
    box.spool.mkdir(exist_ok=True)
    (box.spool / "status.json").write_text("of the one before")
    assert answer_request(box)
    assert (box.spool / "status.json").read_text() == "of the one before"


def test_what_broken_off_requests_have_left_is_removed(box: Box) -> None:
    for name in ("a.part", "a.deb", "b.part", "c.request"):
        (box.spool / name).write_text("left")
    (box.spool / "folder").mkdir()
    for name in ("a.part", "a.deb", "c.request", "folder"):
        os.utime(box.spool / name, (1e9, 1e9))
    (box.spool / "request.json").write_text("{}")
    answer_request(box)
    assert sorted(path.name for path in box.spool.iterdir()) == ["b.part", "status.json"]


def test_folders_in_place_of_the_spool_s_files_are_taken_away(box: Box, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    for name in ("request.json", "status.json"):
        (box.spool / name).mkdir()
        (box.spool / name / "below").symlink_to(tmp_path / "kept")
    for withdrawn in (False, True):
        assert answer_request(box) is withdrawn
        assert [path.name for path in box.spool.iterdir()] == ["status.json"]
        assert status_of(box)["step"] == "refused"
    assert (tmp_path / "kept").is_dir()


def as_link(path: Path, other: Path) -> None:
    path.symlink_to(other)


def as_pipe(path: Path, _: Path) -> None:
    os.mkfifo(path)


def as_too_much(path: Path, _: Path) -> None:
    path.write_bytes(b"12345")


@pytest.mark.parametrize("made", [as_link, as_pipe, as_too_much])
def test_the_spool_gives_plain_files_of_a_bounded_size_alone(
    box: Box, tmp_path: Path, made: Callable[[Path, Path], None]
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"1")
    made(box.spool / "request.json", secret)
    spool = os.open(box.spool, os.O_RDONLY)
    with pytest.raises(ReleaseError), spool_file(spool, "request.json", 4):
        pass
    os.close(spool)


def test_a_link_in_place_of_the_status_is_replaced(box: Box, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("kept")
    (box.spool / "status.json").symlink_to(secret)
    (box.spool / "request.json").write_text("{}")
    answer_request(box)
    assert secret.read_text() == "kept"
    assert not (box.spool / "status.json").is_symlink()


def test_stepping_back_by_hand_exchanges_the_two_releases(box: Box) -> None:
    old, new = release(box, "old"), release(box, "new")
    link(box, new, old)
    assert ask_back(box)["ok"]
    assert (served(box), served_before(box)) == (old, new)


def test_without_an_earlier_release_there_is_nothing_to_step_back_to(box: Box) -> None:
    switch(box, release(box, "only"))
    assert ask_back(box)["reason"] == "there is no earlier release to step back to"


def test_a_release_that_was_not_finished_serves_nobody(box: Box) -> None:
    begun = box.releases / "begun"
    begun.mkdir(parents=True)
    box.current.symlink_to("releases/begun")
    assert served(box) is None


def test_a_release_of_another_python_no_longer_fits(box: Box) -> None:
    assert fits(release(box, "2.0"))
    assert not fits(release(box, "2.0", python=ELSEWHERE))
    assert not fits(None)


def test_releases_but_two_are_removed(box: Box) -> None:
    kept = [release(box, name) for name in ("new", "old")]
    release(box, "older")
    link(box, *kept)
    prune(box)
    assert sorted(box.releases.iterdir()) == sorted(kept)


def test_a_wheel_whose_hash_is_another_is_not_installed(box: Box, tmp_path: Path) -> None:
    folder = wheels(tmp_path / "wheels", "2.0")
    (folder / "requirements.txt").write_text(f"monster-table==2.0 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(ReleaseError, match="is not the one that"):
        make(box, folder, "2.0")
    assert list(box.releases.iterdir()) == []


def test_wheels_for_another_python_are_refused(box: Box, tmp_path: Path) -> None:
    folder = wheels(tmp_path / "wheels", "2.0")
    (folder / "numpy-2.0-cp39-cp39-linux_x86_64.whl").write_bytes(b"")
    with (folder / "requirements.txt").open("a") as listed:
        listed.write(f"numpy==2.0 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(ReleaseError, match="there is no numpy for Python"):
        make(box, folder, "2.0")


def test_a_request_to_install_is_read() -> None:
    request = {
        "form": 1,
        "id": ID,
        "action": "install",
        "file": f"{ID}.deb",
        "size": 9,
        "sha256": "a" * 64,
    }
    read = read_request(json.dumps(request).encode())
    assert (read.package, read.size, read.sha256) == (f"{ID}.deb", 9, "a" * 64)

"""Versions are ordered, and a release outlives the package and the Python that it was made with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from box_main import install, renew
from box_paths import Box, ReleaseError
from box_releases import OF_PACKAGE, is_older, make, served, served_before, switch, version_of

from tests.updates.boxes import ELSEWHERE, ask, machine, package, release, systemctl, wheels


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return machine(tmp_path)


def serves(box: Box) -> str:
    return version_of(served(box))


def made_for_another_python(box: Box) -> None:
    """Let Debian have another Python than that of the release that serves."""
    now = served(box)
    assert now is not None
    old = now.with_name(f"2.0{ELSEWHERE}")
    now.rename(old)
    switch(box, old)


@pytest.mark.parametrize(
    ("version", "than", "older"),
    [
        ("0.9.0", "0.10.0", True),
        ("1.0~rc1", "1.0", True),
        ("1.0", "1.0", False),
        ("1.0", "", False),
    ],
)
def test_versions_are_ordered_as_debian_does(version: str, than: str, older: bool) -> None:
    assert is_older(version, than) is older


def test_an_update_to_an_older_version_is_refused(box: Box, tmp_path: Path) -> None:
    now = release(box, "now", "0.10.0")
    switch(box, now)
    status = ask(box, package(tmp_path, "0.9.0"))
    assert status["step"] == "refused"
    assert status["reason"] == "0.9.0 is older than what serves; --older installs it"
    assert served(box) == now


def test_an_update_to_an_older_version_can_be_asked_for(box: Box, tmp_path: Path) -> None:
    switch(box, release(box, "now", "0.10.0"))
    assert ask(box, package(tmp_path, "0.9.0"), older=True)["ok"]
    assert serves(box) == "0.9.0"


def test_an_update_is_tested_before_the_switch_and_removed_where_it_fails(
    box: Box, tmp_path: Path
) -> None:
    now = release(box, "now")
    switch(box, now)
    wheels(box.home / "wheels", "2.0", test_fails=True)
    with pytest.raises(ReleaseError, match="the self-test failed"):
        install(box, "2.0")
    assert list(box.releases.iterdir()) == [now]


def test_a_package_older_than_what_serves_does_not_replace_it(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    wheels(box.home / "wheels", "0.2.0")
    switch(box, make(box, wheels(box.home / "other", "0.3.0"), "0.3.0"))
    install(box, "0.2.0", "0.1.0")
    assert serves(box) == "0.3.0"
    assert "0.3.0 serves and is newer than 0.2.0; it stays" in capsys.readouterr().out


def test_a_package_that_dpkg_was_asked_to_step_back_to_serves(box: Box) -> None:
    wheels(box.home / "wheels", "0.2.0")
    switch(box, release(box, "now", "0.3.0"))
    install(box, "0.2.0", "0.3.0")
    assert serves(box) == "0.2.0"


@pytest.mark.parametrize("fitting", [True, False])
def test_a_later_release_that_does_not_work_is_replaced(
    box: Box, capsys: pytest.CaptureFixture[str], fitting: bool
) -> None:
    wheels(box.home / "wheels", "0.2.0")
    switch(box, make(box, wheels(box.home / "other", "9999", test_fails=True), "9999"))
    if not fitting:
        made_for_another_python(box)
    install(box, "0.2.0", "0.1.0")
    assert serves(box) == "0.2.0"
    seen = capsys.readouterr().out
    assert "9999 does not work: the self-test failed: the networks are missing" in seen
    assert "stays" not in seen


def test_a_later_release_without_its_command_is_replaced(box: Box) -> None:
    wheels(box.home / "wheels", "0.2.0")
    later = make(box, wheels(box.home / "other", "9999"), "9999")
    switch(box, later)
    (later / "bin/companion").unlink()
    install(box, "0.2.0", "0.1.0")
    assert serves(box) == "0.2.0"


def test_a_package_that_is_configured_once_more_serves(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    wheels(box.home / "wheels", "0.2.0")
    switch(box, make(box, wheels(box.home / "other", "0.3.0"), "0.3.0"))
    install(box, "0.2.0", "0.1.0")
    assert "`sudo dpkg-reconfigure monster-table` lets 0.2.0 serve" in capsys.readouterr().out
    install(box, "0.2.0", "0.2.0")
    assert serves(box) == "0.2.0"


@pytest.mark.parametrize("version", ["0.2.0", "0.3.0"])
def test_a_package_whose_release_serves_already_brings_its_unit_into_force(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    wheels(box.home / "wheels", "0.2.0")
    same = version == "0.2.0"
    folder = box.home / "wheels" if same else wheels(box.home / "other", version)
    switch(box, make(box, folder, version))
    called = tmp_path / "called"
    monkeypatch.setenv("PATH", systemctl(box, tmp_path, f'echo "$*" >>{called}'))
    install(box, "0.2.0", "0.1.0")
    assert serves(box) == version
    assert called.read_text() == "restart no.service\n"


def test_a_unit_in_which_a_release_does_not_start_is_reported(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch(box, make(box, wheels(box.home / "wheels", "0.2.0"), "0.2.0"))
    path = systemctl(box, tmp_path, 'echo "Job failed." >&2', "exit 1")
    monkeypatch.setenv("PATH", path)
    with pytest.raises(ReleaseError, match="the service does not start: Job failed"):
        install(box, "0.2.0", "0.2.0")
    assert serves(box) == "0.2.0"


def test_a_package_starts_no_service_that_was_stopped(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch(box, make(box, wheels(box.home / "wheels", "0.2.0"), "0.2.0"))
    called = tmp_path / "called"
    path = systemctl(box, tmp_path, f'echo "$*" >>{called}', state="ActiveState=inactive")
    monkeypatch.setenv("PATH", path)
    install(box, "0.2.0", "0.2.0")
    assert not called.exists()


def test_another_python_brings_the_same_version(box: Box, tmp_path: Path) -> None:
    wheels(box.home / "wheels", "1.0")
    switch(box, release(box, "old"))
    assert ask(box, package(tmp_path, "2.0"))["ok"]
    made_for_another_python(box)
    renew(box, "1.0")
    now = served(box)
    assert now is not None
    assert not (now / OF_PACKAGE).exists()
    assert now.name.startswith("2.0-py3.")
    assert now.name != f"2.0{ELSEWHERE}"
    assert served_before(box) == box.releases / f"2.0{ELSEWHERE}"


def test_a_package_older_than_what_serves_does_not_leave_it_without_its_python(
    box: Box, tmp_path: Path
) -> None:
    wheels(box.home / "wheels", "1.0")
    switch(box, release(box, "old"))
    assert ask(box, package(tmp_path, "2.0"))["ok"]
    made_for_another_python(box)
    install(box, "1.0")
    now = served(box)
    assert now is not None
    assert (serves(box), now.name == f"2.0{ELSEWHERE}") == ("2.0", False)


def test_another_python_is_no_reason_for_an_older_version(box: Box) -> None:
    wheels(box.home / "wheels", "1.0")
    now = release(box, "2.0", "2.0", python=ELSEWHERE)
    switch(box, now)
    with pytest.raises(ReleaseError, match=r"1\.0 is older than 2\.0, which serves"):
        renew(box, "1.0")
    assert served(box) == now


def test_the_same_python_leaves_everything_as_it_is(box: Box) -> None:
    wheels(box.home / "wheels", "1.0")
    install(box, "1.0")
    before = served(box)
    assert before is not None
    assert (before / OF_PACKAGE).is_file()
    renew(box, "1.0")
    assert (served(box), served_before(box)) == (before, None)


def test_the_wheels_of_a_release_take_no_room_of_their_own(box: Box) -> None:
    folder = wheels(box.home / "wheels", "1.0")
    made = make(box, folder, "1.0")
    for kept in (made / "wheels").iterdir():
        assert kept.samefile(folder / kept.name)
    shutil.rmtree(folder)
    assert (made / "wheels" / "requirements.txt").is_file()

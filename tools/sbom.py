"""The software bill of materials: every locked package, in CycloneDX.

`python -m tools.sbom FILE` writes it, the same bytes for the same lock files. Scope `required` is
what everybody gets, `optional` what an extra brings, `excluded` what builds and tests.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from tools.licences import ROOT, Package, Reach, canonical, packages

HASHES: Final = {"sha512": HashAlgorithm.SHA_512, "sha1": HashAlgorithm.SHA_1}


def sbom() -> str:
    """Return the document as JSON."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    mine = Component(
        name=project["name"],
        version=project["version"],
        type=ComponentType.APPLICATION,
        purl=PackageURL("pypi", None, project["name"], project["version"]),
        bom_ref=project["name"],
        licenses=[LicenseFactory().make_from_string(project["license"])],
    )
    found = packages()
    components = {package: _component(package) for package in found}
    listed = "\n".join(f"{each.kind} {each.name} {each.version}" for each in found)
    number = uuid5(NAMESPACE_URL, f"{project['name']} {project['version']}\n{listed}")
    bom = Bom(components=components.values(), serial_number=number)
    bom.metadata.component = mine
    by_name = {package.name: each for package, each in components.items() if package.kind == "pypi"}
    for package, component in components.items():
        bom.register_dependency(component, [by_name[name] for name in package.requires])
    direct = {canonical(re.split(r"[<>=]", each)[0]) for each in project["dependencies"]}
    bom.register_dependency(
        mine,
        [
            each
            for package, each in components.items()
            if package.name in direct or (package.kind, package.reach) == ("npm", Reach.USERS)
        ],
    )
    document = json.loads(JsonV1Dot6(bom).output_as_string())
    del document["metadata"]["timestamp"]  # the same locks give the same bytes
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _component(package: Package) -> Component:
    group, _, name = package.name.rpartition("/")
    return Component(
        name=name,
        group=group or None,
        version=package.version,
        type=ComponentType.LIBRARY,
        scope=ComponentScope(package.reach.value),
        purl=PackageURL(package.kind, group or None, name, package.version),
        bom_ref=f"{package.kind}:{package.name}@{package.version}",
        licenses=[LicenseFactory().make_from_string(package.licence)] if package.licence else [],
        hashes=_hashes(package.integrity),
    )


def _hashes(integrity: str) -> list[HashType]:
    algorithm, _, encoded = integrity.partition("-")
    if algorithm not in HASHES:
        return []
    return [HashType(alg=HASHES[algorithm], content=base64.b64decode(encoded).hex())]


def main(arguments: list[str]) -> int:
    """Write the file; return the exit status."""
    if len(arguments) != 1:
        print("Name the file to write: python -m tools.sbom FILE", file=sys.stderr)
        return 2
    Path(arguments[0]).parent.mkdir(parents=True, exist_ok=True)
    Path(arguments[0]).write_text(sbom(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

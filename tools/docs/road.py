"""Walk a newcomer's road by the text of the pages alone: `python -m tools.docs.road [LINK]`.

Builds the wheel, copies it into an empty home, and there runs the `sh road` blocks of the pages in
order, with bash and without a checkout. The last one serves. Then a browser does what the lists
behind `<!-- road -->` say: `**words**` are tapped, `` `words` `` are typed, `*words*` must be seen.
Prints one JSON object a stage; exit status 1, with the line of the page, where the road ends early.
With LINK, that of a table's QR code, the browser's part alone, as `tests/box/road.py` runs it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Error, Page, sync_playwright

from tools.deb import build_wheel

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("install.md", "first-evening.md")
"""The pages in the order in which a newcomer reads them."""
BLOCK = re.compile(r"^```sh (?P<kind>\w+)\n(?P<lines>.*?)^```$", re.MULTILINE | re.DOTALL)
LIST = re.compile(r"^<!-- road -->\n((?:\d+\. .*\n(?:   .*\n)*)+)", re.MULTILINE)
STEP = re.compile(r"\*\*(?P<tap>[^*]+)\*\*|`(?P<type>[^`]+)`|(?<!\*)\*(?P<see>[^*]+)\*(?!\*)")
PATIENCE_S = 60.0


class RoadError(Exception):
    """The pages do not lead on; the message says where."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do: `kind` is tap, type or see."""

    kind: str
    words: str


def typed(texts: Iterable[str], kind: str) -> list[str]:
    """Return the lines of the pages' shell blocks of a kind: `road` with the wheel, `box` with the
    package.
    """
    found = (one for text in texts for one in BLOCK.finditer(text))
    return [line for one in found if one["kind"] == kind for line in one["lines"].splitlines()]


def steps(texts: Iterable[str]) -> list[Step]:
    """Return what the lists of the pages say to tap, to type and to see, in order."""
    return [
        Step(kind, words)
        for text in texts
        for one in LIST.findall(text)
        for found in STEP.finditer(one)
        for kind, words in found.groupdict().items()
        if words is not None
    ]


def pages() -> list[str]:
    """Return the pages, in order."""
    return [(DOCS / page).read_text("utf-8") for page in PAGES]


def walk(folder: Path) -> Iterator[dict[str, object]]:
    """Walk the road in an empty home; yield what came of each stage. RoadError where it ends."""
    *before, last = typed(pages(), "road")
    began = time.monotonic()
    build_wheel(folder)
    yield {"stage": "wheel", "s": round(time.monotonic() - began, 1)}
    began = time.monotonic()
    done = subprocess.run(
        ["bash", "-euc", "\n".join(before)],
        cwd=folder,
        env=_variables(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RoadError(f"the commands ended with {done.returncode}: {before}\n{done.stdout}")
    yield {"stage": "commands", "lines": len(before), "s": round(time.monotonic() - began, 1)}
    began = time.monotonic()
    with _served(folder, last) as link:
        yield {"stage": "serving", "line": last, "s": round(time.monotonic() - began, 1)}
        yield tap_through(link)
    yield {"stage": "applied", "rolls": _rolls(folder)}


@contextmanager
def _served(folder: Path, line: str) -> Iterator[str]:
    """Run the last line, on a free port of loopback; yield the link that the QR code holds."""
    command = f"exec {line} --host 127.0.0.1 --port 0"
    with (folder / "serve.log").open("w") as log:
        process = subprocess.Popen(
            ["bash", "-c", command],
            cwd=folder,
            env=_variables(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout is not None
            printed = process.stdout.readline()
            if not printed:
                raise RoadError(f"{line} did not serve: {(folder / 'serve.log').read_text()}")
            yield json.loads(printed)["join"]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


def tap_through(link: str) -> dict[str, object]:
    """Do the steps of the pages on one phone, which scanned the link; return the stage. RoadError
    at the first that fails.
    """
    began = time.monotonic()
    todo = steps(pages())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        context = browser.new_context(
            viewport={"width": 390, "height": 844}, locale="en-GB", reduced_motion="reduce"
        )
        page = context.new_page()
        page.set_default_timeout(PATIENCE_S * 1000)
        page.goto(link)
        for number, step in enumerate(todo, 1):
            try:
                _do(page, step)
            except Error as failed:
                seen = page.locator("body").inner_text()
                said = f"step {number}, {step.kind} “{step.words}”: not on the phone"
                raise RoadError(f"{said}, which shows:\n{seen}") from failed
        browser.close()
    return {"stage": "game", "steps": len(todo), "s": round(time.monotonic() - began, 1)}


def _do(page: Page, step: Step) -> None:
    if step.kind == "type":
        page.locator("input[type=text]:visible").fill(step.words)
    elif step.kind == "tap":
        words = re.compile(rf"^\s*(\d+ )?{re.escape(step.words)}", re.IGNORECASE)
        page.locator("button:visible:enabled", has_text=words).first.click()
    else:
        page.get_by_text(step.words).locator("visible=true").first.wait_for()


def _rolls(folder: Path) -> int:
    """Return how many rolls the log holds. RoadError where there is none."""
    command = ["bash", "-c", "~/monster-table/bin/companion export g1"]
    done = subprocess.run(
        command, cwd=folder, env=_variables(folder), capture_output=True, text=True, check=False
    )
    return applied(done.stdout, done.stderr)


def applied(log: str, errors: str = "") -> int:
    """Return how many rolls an exported log holds. RoadError where there is none."""
    rolls = log.count('"DiceRolled"')
    if not rolls:
        raise RoadError(f"no roll was applied: {errors or log}")
    return rolls


def _variables(folder: Path) -> dict[str, str]:
    kept = {key: os.environ[key] for key in ("LANG", "PATH", "TMPDIR") if key in os.environ}
    return {**kept, "HOME": str(folder)}


def main(links: list[str]) -> int:
    """Walk it in a temporary home, or tap at the table of a link; return the exit status."""
    with TemporaryDirectory() as folder:
        stages = map(tap_through, links) if links else walk(Path(folder))
        try:
            for stage in stages:
                print(json.dumps(stage), flush=True)
        except RoadError as ended:
            print(ended, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What keeps a page from being for everyone: what does not fit, and what axe-core finds.

`make everyone` looks at every screen in every theme and language, and at every size.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from companion.resources import LANGUAGES
from tests.browser.conftest import chromium
from tests.browser.phone import play, shared_phone, wiped
from tests.browser.scenes import SCENES, Scene
from tests.browser.stage import Stage

ROOT = Path(__file__).parents[2]
MEASURE = (Path(__file__).parent / "measure_boxes.js").read_text("utf8")
THEMES = ("night", "paper", "black")
FITS = {
    "320x640": ("320x640", 100),
    "390x844": ("390x844", 100),
    "landscape": ("844x390", 100),
    "tablet": ("768x1024", 100),
    "text-200": ("390x844", 200),
}
"""Each size of page and of text, in percent, at which everything must fit."""
RUN_AXE = """
async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.flatMap(
  (one) => one.nodes.map((node) => `${one.id}: ${node.target.join(" ")} ${node.html.slice(0, 120)}`
    + (one.id === "color-contrast" ? ` ${node.any[0]?.message ?? ""}` : "")),
)
"""


@cache
def _axe() -> str:
    """The script of axe-core, of the packages that build the phone app."""
    found = ROOT / "webui" / "node_modules" / "axe-core" / "axe.min.js"
    assert found.is_file(), "The packages of the phone app are not installed: make install"
    return found.read_text("utf8")


def opened(
    page: Page, stage: Stage, scene: Scene, fit: str, language: str = "en", theme: str = "night"
) -> Page:
    """Show the scene at that size, at rest."""
    size, text = FITS[fit]
    play(wiped(page, stage, size, language, theme, text), stage, scene)
    return at_rest(page)


def at_rest(page: Page) -> Page:
    """Wait until the page takes taps."""
    page.wait_for_selector(".page:not(.settling), .screen-no-line")
    page.wait_for_function(TAKES_TAPS)
    return page


def misfits(page: Page) -> dict[str, list[str]]:
    """What is cut off, outside, overlapping or out of reach, by kind; empty if all is well."""
    found: dict[str, list[str]] = page.evaluate(MEASURE)
    return {kind: those for kind, those in found.items() if those}


def violations(page: Page) -> Any:
    """Return what axe-core finds on the page as it is, a line each."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_axe())
    return page.evaluate(RUN_AXE)


TAKES_TAPS = "() => document.getAnimations().every((one) => one.animationName !== 'no-taps')"
SHOW_THEME = "(theme) => { document.documentElement.dataset.theme = theme; }"


def axe_findings(
    page: Page, stage: Stage, scene: Scene, language: str, _: Sequence[str]
) -> Iterator[str]:
    """Each finding of axe-core in each theme."""
    opened(page, stage, scene, "390x844", language)
    for theme in THEMES:
        page.evaluate(SHOW_THEME, theme)
        yield from (f"{theme}: {one}" for one in violations(page))


def box_findings(
    page: Page, stage: Stage, scene: Scene, language: str, fits: Sequence[str]
) -> Iterator[str]:
    """Each thing that does not fit, at each size."""
    for fit in fits:
        opened(page, stage, scene, fit, language)
        for kind, those in misfits(page).items():
            yield from (f"{fit}: {kind}: {one}" for one in those)


CHECKS = {"axe": axe_findings, "boxes": box_findings}


def main() -> int:
    """Print a line for each finding, and how much was looked at; return 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.everyone", description=__doc__)
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=LANGUAGES)
    parser.add_argument("--only", nargs="+", choices=tuple(CHECKS), default=tuple(CHECKS))
    parser.add_argument("--scenes", nargs="+", default=("",), help="beginnings of names of scenes")
    parser.add_argument("--fits", nargs="+", choices=tuple(FITS), default=tuple(FITS))
    args = parser.parse_args()
    chosen = [name for name in SCENES if name.startswith(tuple(args.scenes))]
    found = looked_at = 0
    stage = Stage()
    with chromium() as browser, shared_phone(browser) as page:
        for name in chosen:
            scene = SCENES[name](Path(tempfile.mkdtemp()))
            for language in args.languages:
                for check in args.only:
                    looked_at += 1
                    for line in CHECKS[check](page, stage, scene, language, args.fits):
                        found += 1
                        print(f"{name} {language} {line}", flush=True)
    stage.close()
    print(f"{len(chosen)} screens, {looked_at} looks, {found} findings", file=sys.stderr)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())

"""`make everyone`: every screen in every theme and language for axe-core, and at every size."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import Page

from companion.resources import LANGUAGES
from tests.browser.conftest import chromium
from tests.browser.everyone.bench import FITS, THEMES, misfits, opened, violations
from tests.browser.phone import shared_phone
from tests.browser.scenes import SCENES, Scene
from tests.browser.stage import Stage

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
    """Print a line for each finding, and how much was looked at; return 1 where there is one."""
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

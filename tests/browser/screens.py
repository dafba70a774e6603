"""Draws the pictures in `docs/screens` again: the screens of the pages, on a phone of 390×844.

`python -m tests.browser.screens [NAME…]` draws these too; a name is one of `SCENES`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.browser.conftest import chromium
from tests.browser.phone import phone, play
from tests.browser.scenes import SCENES
from tests.browser.stage import Stage

FOLDER = Path(__file__).parent.parent.parent / "docs" / "screens"


def draw(names: set[str]) -> None:
    """Draw the pictures of these screens."""
    stage = Stage()
    with chromium() as browser:
        for name in sorted(names & SCENES.keys()):
            with phone(browser, scale=1) as page:
                play(page, stage, SCENES[name](Path(tempfile.mkdtemp())))
                page.mouse.move(0, 0)
                page.screenshot(path=FOLDER / f"{name}.png")
    stage.close()


if __name__ == "__main__":
    draw({*sys.argv[1:], *(path.stem for path in FOLDER.glob("*.png"))})

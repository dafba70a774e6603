"""Draws screens as a phone of 390×844 shows them.

`python -m tests.browser.screens` draws those that the documents show, in `docs/screens`;
`python -m tests.browser.screens FOLDER` draws every screen, in a folder of yours.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Collection
from pathlib import Path

from tests.browser.conftest import chromium
from tests.browser.phone import phone, play
from tests.browser.scenes import SCENES
from tests.browser.stage import Stage

FOLDER = Path(__file__).parent.parent.parent / "docs" / "screens"


def draw(folder: Path, names: Collection[str]) -> None:
    """Draw these screens."""
    folder.mkdir(parents=True, exist_ok=True)
    stage = Stage()
    with chromium() as browser:
        for name in names:
            with phone(browser, theme="night", scale=1) as page:
                play(page, stage, SCENES[name](Path(tempfile.mkdtemp())))
                page.mouse.move(0, 0)
                page.screenshot(path=folder / f"{name}.png")
    stage.close()


if __name__ == "__main__":
    if sys.argv[1:]:
        draw(Path(sys.argv[1]), SCENES)
    else:
        draw(FOLDER, [name for name in SCENES if (FOLDER / f"{name}.png").exists()])

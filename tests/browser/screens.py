"""Writes `docs/screens/`: every screen as a phone of 390×844 shows it.

`python -m tests.browser.screens [NAME…]` draws those whose names begin so, or all.
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
THEMES = {"08a-buy": "paper", "10-table": "paper"}
"""Screens that are drawn on paper too."""


def draw(names: tuple[str, ...]) -> None:
    """Draw the pictures of these screens again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    stage = Stage()
    with chromium() as browser:
        for name, scene in SCENES.items():
            if names and not name.startswith(names):
                continue
            for theme in ("night", *([THEMES[name]] if name in THEMES else ())):
                with phone(browser, theme=theme, scale=1) as page:
                    play(page, stage, scene(Path(tempfile.mkdtemp())))
                    page.mouse.move(0, 0)
                    end = "" if theme == "night" else f"-{theme}"
                    page.screenshot(path=FOLDER / f"{name}{end}.png")
    stage.close()


if __name__ == "__main__":
    draw(tuple(sys.argv[1:]))

"""Whole games of four phones, played through the app alone; they end as the rules end them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser

from companion.engine import Face
from companion.service.settings import Settings
from tests.browser.evening import clip, picture
from tests.browser.phone import HOST
from tests.browser.whole_game import NAMES, Phone, WholeGame
from tests.browser.windows import chromium_tv, chromium_window
from tests.service.served import serving

pytestmark = pytest.mark.browser


def photos(folder: Path, game: str) -> dict[tuple[Face, ...], Path]:
    """Write the three throws of the recorded tray as photos, each by its faces."""
    found = {}
    for throw, one in enumerate(clip(game)["throws"]):
        path = folder / f"{throw}.jpg"
        path.write_bytes(picture(game, throw))
        found[tuple(Face(die["face"]) for die in one["dice"])] = path
    return found


@pytest.mark.parametrize(("game", "seed"), [("tokyo", 2), ("new-york", 1)])
def test_a_whole_game_through_four_phones(
    browser: Browser, tmp_path: Path, game: str, seed: int
) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=game, names=(HOST,))
    with serving(settings) as served, ExitStack() as windows:
        phones = [Phone(windows.enter_context(chromium_window(browser))) for _ in NAMES]
        tv = windows.enter_context(chromium_tv(browser))
        whole = WholeGame(served, phones, tv, Random(f"{game}/{seed}"), photos(tmp_path, game))
        whole.sit_down(game)
        ended = whole.play().ended
        assert ended is not None
        assert {"by hand", "by camera", "answer", "reveal", "shop"} <= set(whole.taps)
        over = {what: n for what, n in whole.taps.items() if n > whole.taps.allowed[what]}
        assert over == {}

"""A phone that was away in the middle of its dice is right again, and keeps what was typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.returns import WAYS, at_table

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("way", WAYS)
def test_a_phone_returns_to_what_is_so_and_keeps_what_was_typed(
    browser: Browser, tmp_path: Path, way: str
) -> None:
    with at_table(browser, tmp_path) as away:
        for _ in range(2):
            WAYS[way](away)

"""A game of another package on a phone: in its own words, or readable where it brings none."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from lantern_fair import LANTERN_FAIR
from playwright.sync_api import Browser, Page, expect

from companion.engine import Face, Ruleset
from companion.engine.authoring import registered
from tests.browser.evening import Evening
from tests.browser.phone import phone
from tests.browser.seated import by_keys, preview_shown, serving_evening, sit_down

pytestmark = pytest.mark.browser
WORDLESS = replace(LANTERN_FAIR, package="", rulebook="")
KEY = re.compile(r"\b[a-z_]+(?:\.[a-z_-]+)+\b")
"""What a sentence that is missing used to look like."""


def seen(page: Page, *parts: str) -> None:
    """The screen says each of these, whatever the letters' size, and shows no key."""
    for part in parts:
        expect(page.locator("body")).to_contain_text(re.compile(part, re.IGNORECASE))
    assert KEY.findall(page.inner_text("body")) == []


@pytest.mark.parametrize(
    ("rules", "previewed"),
    [(LANTERN_FAIR, "only pairs count"), (WORDLESS, "Superstar needs three")],
    ids=["its words", "no words"],
)
def test_a_turn_of_a_game_of_another_package(
    browser: Browser, tmp_path: Path, rules: Ruleset, previewed: str
) -> None:
    with registered(rules):
        evening = Evening(tmp_path, rules.name, 2).seats()
        evening.begin(("bridge", "river_bank"), ("big_drum", "encore", "fireworks"))
        evening.numbers(0, 6, 0, 5).numbers(1, 6, 0, 5)
        with serving_evening(evening) as served, phone(browser) as page:
            ana = sit_down(page, served, 0)
            ana.wait_for("by-hand")
            ana.tap(".tab >> nth=1")
            seen(page, "bridge", "river bank")
            ana.tap(".tab >> nth=0")
            keys = [rules.faces.index(face) for face in (Face.ONE, Face.CELEBRITY, Face.HEAL)]
            by_keys(ana, *keys, keys[0], keys[-1])
            preview_shown(page)
            seen(page, previewed)
            ana.tap(".primary")
            ana.wait_for("buy")
            seen(page, "big drum" if rules is WORDLESS else "Big Drum")

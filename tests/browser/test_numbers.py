"""The chain of a number that did not come is asked for again, without a tap."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.phone import play, wiped
from tests.browser.scenes import Scene
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser


def test_a_chain_that_did_not_come_is_asked_for_again(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    failed: list[str] = []

    def once(route: Route) -> None:
        failed.append(route.request.url)
        if len(failed) == 1:
            route.abort()
        else:
            route.continue_()

    shared.route("**/api/explain/**", once)
    try:
        play(wiped(shared, stage, "390x844", "en", "night"), stage, scenes("12-number"))
        expect(shared.locator(".why-row").first).to_be_visible()
        expect(shared.locator(".number-typed")).to_be_enabled()
    finally:
        shared.unroute("**/api/explain/**")
    assert len(failed) == 2

"""axe-core sees what is wrong. It looks at each screen in `test_layout.py`, and in every theme and
language in `make everyone`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.everyone.bench import opened, violations
from tests.browser.scenes import Scene
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser


def test_axe_sees_a_button_without_a_name(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = opened(shared, stage, scenes("03-my-turn"), "390x844")
    page.evaluate("() => document.querySelector('.square').replaceChildren()")
    assert [line.partition(":")[0] for line in violations(page)] == ["button-name"]

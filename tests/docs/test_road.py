"""The first evening's page names what phones show."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "first-evening.md").read_text("utf-8")
CATALOGUE = json.loads((ROOT / "webui" / "locales" / "en.json").read_text("utf-8"))
LISTS = re.findall(r"^<!-- road -->\n((?:\d+\. .*\n(?:   .*\n)*)+)", PAGE, re.MULTILINE)
STEPS = re.findall(r"\*\*([^*]+)\*\*|(?<!\*)\*([^*]+)\*(?!\*)", "".join(LISTS))
NAMES = re.findall(r"`([^`]+)`", "".join(LISTS))
"""What is typed."""


@pytest.mark.parametrize("words", [tapped or seen for tapped, seen in STEPS])
def test_what_the_page_taps_and_sees_is_what_phones_show(words: str) -> None:
    seen = re.sub("|".join(NAMES), "{seat}", words)
    shown = "".join(one for one in CATALOGUE.values() if isinstance(one, str))
    assert seen == "{seat}" or seen in CATALOGUE.values() or f"{seen}." in shown

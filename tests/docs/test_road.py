"""The newcomer's road: what it takes from a page, and that the page names what phones show."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tools.docs.road import DOCS, PAGES, Step, blocks, steps

CATALOGUE = json.loads(
    (Path(__file__).parents[2] / "webui" / "locales" / "en.json").read_text("utf-8")
)
TEXTS = [(DOCS / page).read_text("utf-8") for page in PAGES]
STEPS = [step for text in TEXTS for step in steps(text)]


def test_a_block_is_taken_only_where_it_is_marked() -> None:
    text = "```sh\nsudo rm\n```\n\n```sh road\na b\nc\n```\n\n```sh root\nd\n```\n"
    assert blocks(text) == ["a b\nc\n"]


def test_a_list_is_taken_only_where_it_is_marked() -> None:
    marked = "<!-- road -->\n1. Tap **Go**, type `Ana`:\n   see *There*.\n2. **On**\n"
    text = f"1. Tap **No**.\n\n{marked}\n**No**"
    assert steps(text) == [
        Step("tap", "Go"),
        Step("type", "Ana"),
        Step("see", "There"),
        Step("tap", "On"),
    ]


def test_the_road_begins_with_a_wheel_and_ends_with_a_service() -> None:
    lines = [line for text in TEXTS for one in blocks(text) for line in one.splitlines()]
    assert "pip install" in lines[1]
    assert re.fullmatch(r"\S+/companion serve --camera none", lines[-1])
    assert len(STEPS) > 15


@pytest.mark.parametrize("step", [one for one in STEPS if one.kind != "type"], ids=str)
def test_what_the_pages_tap_and_see_is_what_phones_show(step: Step) -> None:
    names = {one.words for one in STEPS if one.kind == "type"}
    seen = re.sub("|".join(names), "{seat}", step.words)
    assert (
        seen == "{seat}"
        or seen in CATALOGUE.values()
        or f"{seen}." in "".join(words for words in CATALOGUE.values() if isinstance(words, str))
    )

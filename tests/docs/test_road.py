"""The newcomer's road: what it takes from a page, and that the page names what phones show."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from companion.cli.words import sentence
from tests.box.road import LINK
from tools.docs.road import RoadError, Step, applied, pages, steps, typed

CATALOGUE = json.loads(
    (Path(__file__).parents[2] / "webui" / "locales" / "en.json").read_text("utf-8")
)
STEPS = steps(pages())


def test_a_block_is_typed_only_on_the_road_that_it_is_marked_for() -> None:
    text = "```sh\nsudo rm\n```\n\n```sh road\na b\nc\n```\n\n```sh box\nd\n```\n"
    assert typed([text, "```sh road\ne\n```\n"], "road") == ["a b", "c", "e"]
    assert typed([text], "box") == ["d"]


def test_a_list_is_taken_only_where_it_is_marked() -> None:
    marked = "<!-- road -->\n1. Tap **Go**, type `Ana`:\n   see *There*.\n2. **On**\n"
    text = f"1. Tap **No**.\n\n{marked}\n**No**"
    assert steps([text]) == [
        Step("tap", "Go"),
        Step("type", "Ana"),
        Step("see", "There"),
        Step("tap", "On"),
    ]


def test_the_road_begins_with_a_wheel_and_ends_with_a_service() -> None:
    lines = typed(pages(), "road")
    assert "pip install" in lines[1]
    assert re.fullmatch(r"\S+/companion serve", lines[-1])
    assert len(STEPS) > 15


def test_the_road_of_a_box_begins_with_the_package_and_ends_with_its_code() -> None:
    first, last = typed(pages(), "box")
    assert first == "sudo apt install /tmp/monster-table_*.deb"
    assert last == "sudo companion setup"


def test_a_phone_scans_what_setup_prints() -> None:
    printed = sentence("serve.join", url="http://192.168.1.20:8080/j#a_token-1", code="AAAA")
    assert LINK.findall(printed) == ["http://192.168.1.20:8080/j#a_token-1"]


def test_a_road_without_a_roll_has_no_end() -> None:
    assert applied('{"type":"DiceRolled"}\n{"type":"DiceRolled"}\n') == 2
    with pytest.raises(RoadError, match="no such game"):
        applied("", "no such game")


@pytest.mark.parametrize("step", [one for one in STEPS if one.kind != "type"], ids=str)
def test_what_the_pages_tap_and_see_is_what_phones_show(step: Step) -> None:
    names = {one.words for one in STEPS if one.kind == "type"}
    seen = re.sub("|".join(names), "{seat}", step.words)
    assert (
        seen == "{seat}"
        or seen in CATALOGUE.values()
        or f"{seen}." in "".join(words for words in CATALOGUE.values() if isinstance(words, str))
    )

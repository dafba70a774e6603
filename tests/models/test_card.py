"""The model card: its figures, its links, and the index of experiments."""

import re
from pathlib import Path

import pytest

from companion.forecast.network import load_contract as load_value_contract
from companion.vision.networks.contract import load_contract
from models.places import HERE

CARD = HERE / "README.md"
VALUE = HERE / "value" / "README.md"
EXPERIMENTS = HERE / "EXPERIMENTS.md"
PAGES = [CARD, VALUE, HERE / "DATA.md", EXPERIMENTS]
LAST = "second"
"""The round whose value networks are shipped."""


def test_every_experiment_is_in_the_index_under_its_own_name_and_has_its_parts() -> None:
    text = EXPERIMENTS.read_text("utf-8")
    rows = re.findall(r"^\| \[(\d{3})\]\(#\1-\S+\) \| (.+?) \|", text, re.M)
    parts = re.split(r"^## (\d{3}) (.+)$", text, flags=re.M)[1:]
    assert len(rows) > 40
    assert rows == list(zip(parts[::3], parts[1::3], strict=True))
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    for number, told in zip(parts[::3], parts[2::3], strict=True):
        for part in ("Hypothesis", "Change", "Kept"):
            assert f"- **{part}.** " in told, f"{number} has no {part.lower()}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_a_link_of_the_card_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_card_has_the_figures_of_the_contract() -> None:
    card = CARD.read_text("utf-8")
    found = load_contract(HERE).measured
    assert bool(found) != ("not measured yet" in card)
    if not found:
        return
    for name in ("test_top_class", "test_exact", "test_coverage"):
        assert f"{100 * found[name]:.1f} % [" in card, name
    for name in ("evening_exact", "evening_coverage", "stills_top_class", "stills_named"):
        assert f"{100 * found[name]:.1f} % [" in card, name


def test_the_value_card_has_the_figures_of_its_contract() -> None:
    card = VALUE.read_text("utf-8")
    for terms in load_value_contract(HERE / "value").networks.values():
        found = terms.measured
        assert bool(found) != ("not measured yet" in card)
        if not found:
            continue
        for name in ("constant_brier", "rule_brier", f"{LAST}_brier"):
            assert f"{found[name]:.4f} [" in card, name
        assert f"{found[f'{LAST}_won']:.0f} of {found['matches']:.0f}" in card

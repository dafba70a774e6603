"""Turns in which every throw is reported, and rolls of one player for a card: real service, taps
counted.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from companion.engine import DiceRolled
from tests.browser.evening import named, picture
from tests.browser.phone import phone, play
from tests.browser.scenes import camouflaged, cursed, dwelling, roll_again
from tests.browser.seated import by_keys, numbers, serving_evening, sit_down
from tests.browser.stage import Stage
from tests.service.served import Served

pytestmark = pytest.mark.browser

ENERGY, ATTACK, HEAL, DESTRUCTION, CELEBRITY, OUCH = range(6)
"""Places of the keys."""


def throws(served: Served) -> list[tuple[tuple[int, ...], bool]]:
    """Which dice each throw of this turn threw again, and whether it was the last; what is undone
    left out.
    """
    state = served.app_state.table.snapshot()
    counting = [state.entries[seq - 1] for seq in state.state.line]
    (turn,) = {entry.before.game.turn.number for entry in counting[-1:] if entry.before.game}
    return [
        (entry.event.rethrown, entry.event.final)
        for entry in counting
        if isinstance(entry.event, DiceRolled)
        and entry.before.game is not None
        and entry.before.game.turn.number == turn
    ]


def price(page: Page) -> str:
    """What the throw on the screen costs: energy before and after."""
    return " ".join(page.locator(".price b").all_inner_texts())


def test_each_throw_is_reported_with_its_price_and_can_be_undone(
    browser: Browser, tmp_path: Path
) -> None:
    with serving_evening(cursed(tmp_path)) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("by-hand")
        by_keys(ana, OUCH, OUCH, HEAL, ATTACK, ATTACK, DESTRUCTION)
        ana.tap(".tell")
        ana.wait_for("again")
        dice = page.locator(".again-die")
        expect(dice.locator(".again-price")).to_have_count(2)
        assert numbers(served, 0)[2] == 3

        ana.tap(".again-die >> nth=0")
        ana.tap(".again-die >> nth=1")
        expect(page.locator(".price b")).to_have_count(2)
        assert price(page) == "3 2"
        expect(page.locator(".primary")).to_be_disabled()
        by_keys(ana, ENERGY, OUCH)
        ana.tap(".tell")
        expect(dice.locator(".again-price")).to_have_count(1)
        assert numbers(served, 0)[2] == 2

        page.click(".tab >> nth=2")
        page.click(".log-dock .wide-act")
        page.click(".tab >> nth=0")
        expect(dice.locator(".again-price")).to_have_count(2)
        assert numbers(served, 0)[2] == 3

        ana.tap(".again-die >> nth=1")
        by_keys(ana, ENERGY)
        ana.tap(".tell")
        expect(dice.locator(".again-price")).to_have_count(1)
        # The last throw costs nothing: none of its dice shows Ouch!.
        ana.tap(".again-die >> nth=2")
        by_keys(ana, ENERGY)
        expect(page.locator(".effect-chip").first).to_be_visible()
        expect(page.locator(".price")).to_have_count(0)
        expect(page.locator(".tell")).to_have_count(0)
        ana.tap(".primary")
        page.wait_for_selector(".page:not(.screen-again)")
        assert throws(served) == [((), False), ((1,), False), ((2,), True)]
        assert numbers(served, 0)[2] == 3 - 1 + 2


def test_a_turn_of_reported_throws_that_stops_early_is_one_tap_more(
    browser: Browser, tmp_path: Path
) -> None:
    with serving_evening(cursed(tmp_path)) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        by_keys(ana, *[ENERGY] * 6)
        ana.tap(".tell")
        ana.wait_for("again")
        ana.tap(".primary")
        page.wait_for_selector(".page:not(.screen-again)")
        assert ana.taps == 8
        assert throws(served) == [((), False), ((), True)]
        assert numbers(served, 0)[2] == 3 + 6


def test_read_dice_find_their_places_among_those_reported_before(
    browser: Browser, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.jpg", tmp_path / "second.jpg"
    first.write_bytes(picture("new-york", 0))
    second.write_bytes(picture("new-york", 2))
    with serving_evening(cursed(tmp_path / "data")) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        page.set_input_files("input[type=file]", first)
        ana.wait_for("proposal")
        ana.tap(".tell")
        ana.wait_for("again")
        last_roll = served.app_state.table.snapshot().state.last_roll
        assert sorted(last_roll) == sorted(named("energy attack heal destruction celebrity ouch"))

        # 2 Attack, 3 Destruction, 1 Heal lie there now: what showed anything else was thrown.
        page.set_input_files("input[type=file]", second)
        ana.wait_for("proposal")
        expect(page.locator(".again-die[aria-pressed=true]")).to_have_count(3)
        expect(page.locator(".price b")).to_have_count(2)
        assert price(page) == "3 2"
        # One more was thrown and shows the same: no other price.
        ana.tap(".again-die[aria-pressed=false] >> nth=0")
        expect(page.locator(".again-die[aria-pressed=true]")).to_have_count(4)
        ana.tap(".primary")
        page.wait_for_selector(".page:not(.screen-proposal)")
        assert [(len(rethrown), final) for rethrown, final in throws(served)] == [
            (0, False),
            (4, True),
        ]
        assert numbers(served, 0)[2] == 2


def test_dice_in_a_hand_do_not_hide_those_on_the_table(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    scene = roll_again(tmp_path)
    with phone(browser) as page:
        play(page, stage, scene)
        tray = scene.evening.proposal(1)
        assert tray.proposal is not None
        fewer = replace(tray.proposal, dice=tray.proposal.dice[:4])
        stage.push(scene.evening.update(tray=replace(tray, proposal=fewer)))
        expect(page.locator(".screen-again .tray-words h2")).to_have_text("Known")
        stage.push(scene.evening.update(tray=tray))
        expect(page.locator(".screen-proposal")).to_have_count(1)
        expect(page.locator(".again-die[aria-pressed=true]")).not_to_have_count(0)


def test_a_roll_that_a_card_asks_of_one_player_takes_two_taps(
    browser: Browser, tmp_path: Path
) -> None:
    evening = camouflaged(tmp_path).roll("1 attack 5 heal", "heal attack")
    with serving_evening(evening) as served, phone(browser) as one, phone(browser) as two:
        sit_down(one, served, 0)
        ben = sit_down(two, served, 1)
        ben.wait_for("by-hand")
        expect(two.locator(".top")).to_contain_text("Camouflage")
        before = numbers(served, 1)[0]
        by_keys(ben, HEAL)
        expect(two.locator(".primary")).to_be_enabled()
        ben.tap(".primary")
        expect(two.locator(".top h1")).not_to_contain_text("Camouflage")
        assert ben.taps == 2
        assert numbers(served, 1)[0] == before


def test_a_three_of_those_dice_is_thrown_again_where_a_card_lets_it(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        serving_evening(dwelling(tmp_path)) as served,
        phone(browser) as one,
        phone(browser) as two,
    ):
        sit_down(one, served, 0)
        ben = sit_down(two, served, 1)
        ben.wait_for("by-hand")
        before = numbers(served, 1)[0]
        one_key, three_key = 3, 5
        by_keys(ben, three_key, one_key)
        ben.tap(".tell")
        ben.wait_for("again")
        expect(two.locator(".top")).to_contain_text("Camouflage")
        expect(two.locator("button.again-die")).to_have_count(1)
        assert numbers(served, 1)[0] == before
        ben.tap("button.again-die")
        by_keys(ben, HEAL)
        ben.tap(".primary")
        two.wait_for_selector(".page:not(.screen-again)")
        assert numbers(served, 1)[0] == before - 1

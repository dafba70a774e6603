"""Turns and whole games in windows of phones: real service, real reader, taps counted."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from lantern_fair import LANTERN_FAIR
from playwright.sync_api import Browser, Page, expect

from companion.engine import (
    CardShown,
    DiceRolled,
    Face,
    Number,
    PowerUsed,
    Ruleset,
    Seat,
)
from companion.engine.authoring import registered
from companion.service.settings import Settings
from companion.table import AnsweredEarly
from tests.browser.evening import CLIPS, Evening, clip, picture
from tests.browser.phone import HOST, phone, play, wiped
from tests.browser.scenes import (
    Scene,
    city_and_bay,
    cursed,
    last_chance,
    order,
    probe_offer,
)
from tests.browser.seated import (
    A_WHILE,
    active,
    all_sent,
    at_the_table,
    by_keys,
    evening,
    numbers,
    preview_shown,
    serving_evening,
    sit_down,
    turn_passed,
    with_energy,
)
from tests.browser.stage import Stage
from tests.browser.whole_game import NAMES, Phone, WholeGame
from tests.browser.windows import chromium_tv, chromium_window
from tests.service.served import Served, serving, stalled
from tests.vision.fakes import tray
from tests.vision.showing import Directed

pytestmark = pytest.mark.browser


def test_a_turn_read_by_the_camera(browser: Browser, tmp_path: Path) -> None:
    with (
        at_the_table(tmp_path, str(CLIPS / "test_new_york.mp4")) as served,
        phone(browser) as one,
        phone(browser) as two,
    ):
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        read = one.locator("[data-screen=proposal] .marker-word")
        for face, count in (("Attack", 2), ("Destruction", 3), ("Heal", 1)):
            expect(read.filter(has_text=face)).to_have_count(count, timeout=A_WHILE)
        ana.tap(".primary")
        for top in ("Skyscraper 1", "Power plant 2", "Hospital 3"):
            ana.wait_for("reveal-tile")
            ana.tap(f".tile-card >> text={top}")
        ana.wait_for("destroy")
        ana.tap(".tile-card.can >> text=Skyscraper 1")
        ana.wait_for("reveal-tile")
        ana.tap(".tile-card >> text=Skyscraper 2")
        ana.wait_for("destroy")
        ana.tap(".tile-card.can >> text=Power plant 2")
        ben.wait_for("stay-or-flee")
        ben.tap(".place-card >> text=Brooklyn")
        ana.wait_for("buy")
        ana.tap(".primary")
        # By hand, if the recording has ended meanwhile.
        two.wait_for_selector(
            ".screen-my-turn, .screen-by-hand, .screen-camera-lost", timeout=A_WHILE
        )
        # Two for the dice and the end, one for each building named or smashed.
        assert (ana.taps, ben.taps) == (2 + 4 + 2, 1)
        assert numbers(served, 0) == (8, 9 + 1 + 1, 2)
        assert numbers(served, 1) == (3, 3, 0)


def test_a_turn_by_hand_takes_seven_taps_where_it_ends_at_once(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("by-hand")
        by_keys(ana, 0, 0, 0, 2, 2, 2)
        ana.tap(".end-act")
        turn_passed(page)
        assert ana.taps == 7
        assert active(served) == 1
        assert numbers(served, 0) == (10, 9, 3)
        # One command: undone as one, and the note then offers nothing but redo.
        toast = page.locator(".toast")
        expect(toast).to_contain_text("Ana rolled")
        page.click(".toast >> text=Undo")
        all_sent(page)
        ana.wait_for("by-hand")
        expect(toast).to_contain_text("Undone: Ana rolled")
        expect(toast.locator(".act", has_text="Undo")).to_have_count(0)
        assert (active(served), numbers(served, 0)) == (0, (7, 9, 0))
        page.click(".toast >> text=Redo")
        turn_passed(page)
        expect(toast.locator("text=Undo")).to_have_count(1)
        assert (active(served), numbers(served, 0)) == (1, (10, 9, 3))


def test_a_plain_turn_from_a_reading_takes_one_tap(browser: Browser, tmp_path: Path) -> None:
    photo = tmp_path / "tray.jpg"
    photo.write_bytes(picture("tokyo", 0))
    with at_the_table(tmp_path / "data", "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("by-hand")
        with_energy(served, 2)
        page.set_input_files("input[type=file]", photo)
        ana.wait_for("proposal")
        ana.tap(".marker >> text=Attack")
        ana.tap(".sheet .act >> text=Heal")
        before = ana.taps
        ana.tap(".end-act")
        turn_passed(page)
        assert ana.taps - before == 1
        assert numbers(served, 0) == (9, 9, 3)


def test_a_turn_goes_on_by_hand_when_the_camera_is_pulled(browser: Browser, tmp_path: Path) -> None:
    camera = Directed(str(tmp_path / "scenes"))
    camera.add("empty", tray())
    camera.show("empty")
    evening(tmp_path / "data", "tokyo")
    settings = Settings(tmp_path / "data", host="127.0.0.1", port=0, game="tokyo", names=(HOST,))
    with serving(settings, camera) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("my-turn")
        camera.show("")
        ana.wait_for("camera-lost")
        by_keys(ana, 4, 4, 4, 0, 4, 1)
        preview_shown(page)
        ana.tap(".primary")
        turn_passed(page)
        assert numbers(served, 0) == (7, 9 + 3, 1)
        assert numbers(served, 1)[0] == 4


def test_the_host_opens_for_a_seat_without_a_phone_what_that_seat_alone_may_read(
    browser: Browser, tmp_path: Path
) -> None:
    nothing = "2 one 2 two 2 three"
    evening = Evening(tmp_path, "tokyo", 2).seats().begin(cards=("made_in_a_lab", "wings", "jets"))
    evening.roll(nothing).skip_to_roll().set(1, Number.ENERGY, 20)
    evening.roll(nothing, "one two three").buy("made_in_a_lab").say(CardShown("heal"))
    game = evening.table.snapshot().state.game
    assert game is not None
    evening.say(PowerUsed(Seat(1), f"card.{game.in_play.cards[0].id}/peek"), who=1)
    with serving_evening(evening) as served, phone(browser) as page:
        host = sit_down(page, served, 0)
        host.wait_for("secret")
        expect(page.locator(".primary")).to_have_text("Only Ben")
        host.tap(".primary")
        host.wait_for("new-card")
        page.fill("input[type=search]", "jet f")
        host.tap(".suggestion >> nth=0")
        host.wait_for("secret")
        expect(page.locator("body")).not_to_contain_text("Jet Fighters")
        host.tap(".primary")
        host.wait_for("choice")
        expect(page.locator("#headline")).to_contain_text("Jet Fighters")
        host.tap("text=Put it back")
        host.wait_for("buy")
        expect(page.locator("body")).not_to_contain_text("Jet Fighters")


BY_NAME = "(names) => [...names].sort((a, b) => a.localeCompare(b))"


def test_the_cards_for_sale_are_named_one_after_the_other_with_the_keyboard_open(
    browser: Browser, tmp_path: Path
) -> None:
    table = Evening(tmp_path, "tokyo", 2).seats().begin()
    with serving_evening(table) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        page.click("input[type=search]")
        for count, letters in enumerate(("wi", "", "al"), 1):
            expect(page.locator("h1")).to_have_text(f"Turn up 3 cards, {count} of 3")
            expect(page.locator(".status-left")).to_have_text("Setting up")
            listed = page.locator(".suggestion b").all_inner_texts()
            assert listed == page.evaluate(BY_NAME, listed)
            assert len(listed) > 50
            page.keyboard.type(letters)
            ana.tap(".suggestion >> nth=0")
        ana.wait_for("by-hand")
        cards = served.app_state.table.snapshot().state.game
        assert cards is not None
        assert cards.in_play.shop[0] is not None
        assert cards.in_play.shop[0].name == "wings"


def test_while_the_disk_is_slow_the_phone_says_that_the_table_saves(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        by_keys(ana, 0, 0, 0, 2, 2, 2)
        preview_shown(page)
        with stalled(served):
            ana.tap(".primary")
            expect(page.locator(".primary")).to_contain_text("Saving…", timeout=A_WHILE)
        ana.wait_for("buy")
        assert numbers(served, 0) == (10, 9, 3)
        assert served.app_state.table.saved


CITY, BAY = 1, 5


def test_each_phone_sees_both_ways_before_and_one_after_the_other_has_answered(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening, page = city_and_bay(tmp_path), wiped(shared, stage)
    ways = [page.locator(f".answer-card >> nth={card} >> .by-other") for card in (0, 1)]
    for seat, other in ((BAY, "Ben"), (CITY, "Guðrún")):
        play(page, stage, Scene(evening, evening.update(seat=seat)))
        expect(page.locator(".asked-card.dashed-gold")).to_have_count(1)
        expect(page.locator(".both-asked")).to_contain_text(other)
        for way in ways:
            expect(way).to_have_count(2)
    before = [way.all_inner_texts() for way in ways]
    evening.say(AnsweredEarly(BAY, "flee_outside"), who=BAY)
    stage.push(evening.update(seat=CITY))
    expect(page.locator(".asked-card.dashed-gold")).to_have_count(0)
    expect(page.locator(".both-asked")).to_contain_text("Yield")
    for way in ways:
        expect(way).to_have_count(1)
    assert [way.all_inner_texts() for way in ways] != before


def test_a_die_is_thrown_again_by_two_taps(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    scene = probe_offer(tmp_path)
    with phone(browser) as page:
        play(page, stage, scene)
        expect(page.locator(".offer-lies")).to_contain_text("As it is")
        expect(page.locator(".primary")).to_be_disabled()
        page.click(".offer-die >> nth=1")
        expect(page.locator(".odds-line").first).to_contain_text("in 6")
        page.click(".primary")
        (command,) = stage.sent(1)
        used, chosen = command["events"]
        assert (used["type"], used["seat"]) == ("PowerUsed", 0)
        assert (chosen["type"], chosen["seat"], chosen["option"]) == ("Chosen", 0, "die_1")


def test_the_last_chance_shows_what_each_way_leaves(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    scene = last_chance(tmp_path)
    assert scene.update.view.game is not None
    assert scene.update.view.game.question is not None
    options = scene.update.view.game.question.options
    assert [option.out for option in options] == [False, False, True]
    with phone(browser) as page:
        play(page, stage, scene)
        cards = page.locator(".offer-chance")
        expect(cards).to_have_count(3)
        edges = {one.evaluate("(it) => getComputedStyle(it).border") for one in cards.all()}
        assert len(edges) == 1, "no way is pushed"
        expect(cards.nth(0)).to_contain_text("Pay 2")
        expect(cards.nth(0).locator(".offer-health")).to_contain_text("1")
        expect(cards.nth(1).locator(".offer-health")).to_contain_text("2")
        expect(cards.nth(2)).to_contain_text("Take the damage")
        cards.nth(1).click()
        (command,) = stage.sent(1)
        assert command["events"][0]["option"] == options[1].key


def test_the_order_says_what_each_group_does_and_what_another_order_changes(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        play(page, stage, order(tmp_path))
        expect(page.locator(".order-row")).to_have_count(4)
        expect(page.locator(".order-does")).to_have_count(4)
        expect(page.locator(".order-why")).to_contain_text("Why this order?")
        page.click(".arrow-key:not([disabled]) >> nth=0")
        expect(page.locator(".order-why")).to_contain_text("Compared with the sensible order")
        expect(page.locator(".order-does")).to_have_count(4)


ENERGY, ATTACK, HEAL, DESTRUCTION, CELEBRITY, OUCH = range(6)
"""Places of the keys."""


def throws(served: Served) -> list[tuple[tuple[int, ...], bool]]:
    """Which dice each throw of this turn threw again, and whether it was the last; what is undone
    left out.
    """
    state = served.app_state.table.snapshot()
    counting = [state.entries[seq - 1] for seq in state.state.active]
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


def test_a_roll_that_a_card_asks_of_one_player_names_the_card(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    play(page, stage, scenes("06i-dice-against-damage"))
    expect(page.locator(".top")).to_contain_text("Camouflage")
    page.click(".primary")
    (command,) = stage.sent(1)
    assert command["events"][-1]["faces"] == ["heal", "energy"]


WORDLESS = dataclasses.replace(LANTERN_FAIR, package="", rulebook="")
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


def photos(folder: Path, game: str) -> dict[tuple[Face, ...], Path]:
    """Write the three throws of the recorded tray as photos, each by its faces."""
    found = {}
    for throw, one in enumerate(clip(game)["throws"]):
        path = folder / f"{throw}.jpg"
        path.write_bytes(picture(game, throw))
        found[tuple(Face(die["face"]) for die in one["dice"])] = path
    return found


MOST_TAPS_TO_BEGIN = 10
"""From the scan of four phones to the first question: each joins, the host sets the table."""


@pytest.mark.parametrize(("game", "seed"), [("tokyo", 2), ("new-york", 1)])
def test_a_whole_game_through_four_phones(
    browser: Browser, tmp_path: Path, game: str, seed: int
) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=game, names=(HOST,))
    with serving(settings) as served, ExitStack() as windows:
        phones = [Phone(windows.enter_context(chromium_window(browser))) for _ in NAMES]
        tv = windows.enter_context(chromium_tv(browser))
        missing: list[str] = []
        for one in browser.contexts:
            one.on("response", lambda got: missing.append(got.url) if got.status == 404 else None)
        whole = WholeGame(served, phones, tv, Random(f"{game}/{seed}"), photos(tmp_path, game))
        whole.sit_down(game)
        assert sum(one.taps for one in phones) <= MOST_TAPS_TO_BEGIN
        ended = whole.play().ended
        assert ended is not None
        assert [one.player for one in whole.set.seats] == list(NAMES)
        assert {"by hand", "by camera", "answer", "reveal", "shop"} <= set(whole.taps)
        over = {what: n for what, n in whole.taps.items() if n > whole.taps.allowed[what]}
        assert over == {}
        assert missing == []

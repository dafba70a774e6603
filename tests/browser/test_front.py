"""A question comes to the front of its phone; a look at the table, and back, loses nothing."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, expect

from companion.engine import DiceRolled, OrderChosen, Seat
from companion.service import wire
from companion.table import Input, Submission
from tests.browser.evening import Evening, named
from tests.browser.phone import box_of, phone, play
from tests.browser.scenes import Scene, flee_asked, story
from tests.browser.seated import Thumb, at_the_table, by_keys, sit_down
from tests.browser.stage import Stage
from tests.service.served import Served

pytestmark = pytest.mark.browser

COMMANDS = count()
ELSEWHERE = {
    "table": (".tab >> nth=1",),
    "a player on the table": (".tab >> nth=1", ".player-row >> nth=0"),
    "a number": (".tab >> nth=0", ".number-tile >> nth=1"),
    "log": (".tab >> nth=2",),
    "more": (".tab >> nth=3",),
    "the QR code": (".tab >> nth=3", ".act >> text=Let others join"),
    "what is set ahead": (".ahead-act",),
    "another seat": (".tab >> nth=3", ".act >> text=Another seat"),
}
"""Where Ben may look when he is hit."""


HOLD_BACK = """
const fetched = window.fetch;
window.fetch = async (path, ...more) => {
  const answer = await fetched(path, ...more);
  if (path !== "/api/seat") return answer;
  const text = await answer.text();
  const read = await new Promise((handOver) => { window.handOver = handOver; });
  const late = new Response(text, answer);
  late.text = async () => { setTimeout(read, 0); return text; };
  return late;
};
"""
"""The answer to taking a seat comes on `handOver`, which calls back once it was read."""


HOLD_SETTLING = """
const later = window.setTimeout;
window.setTimeout = (act, ms, ...more) => {
  if (ms !== 350) return later(act, ms, ...more);
  window.settle = act;
  return 0;
};
"""
"""The time in which a new question takes no tap ends when `settle` is called."""


def submit(served: Served, *events: Input, who: int = 0) -> None:
    """Submit the events as another phone would."""
    table = served.app_state.table
    rev = table.snapshot().rev
    table.submit(Submission(f"elsewhere-{next(COMMANDS)}", rev, events, who=str(who)))


def hit_ben(served: Served) -> None:
    """Ana rolls: Ben, in Manhattan, loses two hearts and is asked whether he flees."""
    faces = named("2 attack 4 energy")
    submit(served, OrderChosen(Seat(0), named("energy attack")), DiceRolled(faces, final=True))


@pytest.mark.parametrize("where", ELSEWHERE)
def test_a_question_comes_to_the_front_from_wherever_its_owner_looks(
    browser: Browser, tmp_path: Path, where: str
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as one, phone(browser) as page:
        sit_down(one, served, 0)
        ben = sit_down(page, served, 1)
        ben.wait_for("waiting")
        for tap in ELSEWHERE[where]:
            ben.tap(tap)
        before = ben.taps
        hit_ben(served)
        ben.wait_for("stay-or-flee")
        expect(page.locator("[data-sheet]")).to_have_count(0)
        assert ben.taps - before == 0
        ben.tap(".dock >> text=Look at the table")
        ben.wait_for("table")
        ben.tap(".asked-bar")
        ben.wait_for("stay-or-flee")
        assert ben.taps - before == 2
        ben.tap(".place-card >> text=Bronx")
        expect(page.locator(".screen-stay-or-flee")).to_have_count(0)
        assert ben.taps - before == 3


def test_what_is_looked_at_stays_while_somebody_else_is_asked(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as one, phone(browser) as two:
        ana = sit_down(one, served, 0)
        sit_down(two, served, 1)
        ana.tap(".tab >> nth=2")
        hit_ben(served)
        expect(one.locator(".log-row").last).to_contain_text("Ana hit Ben for 2")
        assert one.locator(".screen-log").count() == 1
        assert one.locator(".asked-bar").count() == 0


def test_the_log_stays_while_its_reader_undoes_act_after_act(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.tap(".tab >> nth=2")
        for undone in range(1, 4):
            ana.tap(".log-dock .wide-act")
            expect(page.locator(".log-row.undone:not(.came)")).to_have_count(undone)
            assert page.locator(".screen-log").count() == 1


def test_back_closes_and_returns_before_it_leaves(browser: Browser, tmp_path: Path) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        here = page.url
        ana.tap(".tab >> nth=2")
        ana.tap(".tab >> nth=1")
        ana.tap(".player-row >> nth=1")
        ana.tap(".number-tile >> nth=2")
        page.go_back()
        expect(page.locator(".sheet")).to_have_count(0)
        expect(page.locator(".screen-table")).to_be_visible()
        page.go_back()
        expect(page.locator(".screen-log")).to_be_visible()
        page.go_back()
        expect(page.locator(".screen-by-hand")).to_be_visible()
        page.go_back()
        expect(page.locator(".toast")).to_contain_text("Press Back again")
        assert page.url == here
        by_keys(ana, 0)
        page.go_back()
        expect(page.locator(".slot-die")).to_have_count(1)
        assert page.url == here
        page.go_back()
        assert page.url != here


def test_typed_dice_outlive_a_look_elsewhere_and_a_reload(browser: Browser, tmp_path: Path) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        by_keys(ana, 0, 0, 2, 2)
        dice = page.locator(".slot-die")
        expect(dice).to_have_count(4)
        ana.tap(".tab >> nth=1")
        expect(page.locator(".asked-bar")).to_contain_text("Your turn:")
        ana.tap(".player-row >> nth=1")
        ana.tap(".number-tile >> nth=2")
        ana.tap(".number-keys .act >> nth=1")
        ana.tap(".sheet >> text=Close")
        ana.tap(".asked-bar")
        expect(dice).to_have_count(4)
        page.reload()
        expect(dice).to_have_count(4)
        by_keys(ana, 2, 2)
        ana.tap(".primary")
        ana.wait_for("buy")
        page.reload()
        ana.wait_for("buy")


def test_a_cards_letters_outlive_a_look_at_the_table(browser: Browser, tmp_path: Path) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        submit(served, DiceRolled(named("6 energy"), final=True))
        ana.tap(".shop-card >> text=Buy >> nth=0")
        page.fill("input[type=search]", "ro")
        ana.tap(".tab >> nth=1")
        ana.tap(".asked-bar")
        expect(page.locator("input[type=search]")).to_have_value("ro")
        ana.tap(".suggestion >> nth=0")
        ana.wait_for("buy")


def test_a_tap_meant_for_what_stood_there_before_answers_nothing(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        evening = story(tmp_path)
        page.add_init_script(HOLD_SETTLING)
        play(page, stage, Scene(evening, evening.update(seat=2), taps=(".tab >> nth=1",)))
        evening.roll("1 heal 3 energy 2 attack", "heal energy attack")
        stage.push(evening.update(seat=2))
        page.wait_for_selector(".screen-stay-or-flee")
        box = box_of(page.locator(".place-card >> nth=0"))
        page.mouse.click(box["x"] + 10, box["y"] + 10)
        assert stage.commands == []
        page.evaluate("() => settle()")
        page.mouse.click(box["x"] + 10, box["y"] + 10)
        page.wait_for_function("() => sessionStorage.getItem('monster-table.outbox') === '[]'")
        assert len(stage.commands) == 1


def test_answering_for_a_live_phone_asks_first_and_can_be_left(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as one, phone(browser) as two:
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        hit_ben(served)
        ben.wait_for("stay-or-flee")
        before = ana.taps
        ana.tap(".waiting .act")
        one.wait_for_selector("[data-sheet=answer]")
        ana.tap(".sheet >> text=Wait for Ben")
        ana.wait_for("waiting")
        ana.tap(".waiting .act")
        ana.tap(".sheet .act >> text=Answer for Ben")
        ana.wait_for("stay-or-flee")
        ana.tap(".dock >> text=Leave it to Ben")
        ana.wait_for("waiting")
        assert ana.taps - before == 5
        ben.tap(".place-card >> text=Bronx")
        ben.wait_for("waiting")


def test_an_answer_that_the_stream_has_overtaken_takes_nothing_back(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as one, phone(browser) as two:
        sit_down(one, served, 0)
        two.add_init_script(HOLD_BACK)
        ben = sit_down(two, served, 1)
        hit_ben(served)
        ben.wait_for("stay-or-flee")
        two.evaluate("() => new Promise((read) => handOver(read))")
        ben.tap(".place-card >> text=Bronx")
        ben.wait_for("waiting")


def test_the_question_before_answering_for_somebody_goes_when_it_is_answered(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as one, phone(browser) as two:
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        hit_ben(served)
        ana.tap(".waiting .act")
        one.wait_for_selector("[data-sheet=answer]")
        ben.wait_for("stay-or-flee")
        ben.tap(".place-card >> text=Bronx")
        expect(one.locator("[data-sheet]")).to_have_count(0)


def test_the_host_answers_at_once_for_a_seat_without_a_phone_and_can_leave_it(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        hit_ben(served)
        ana.wait_for("stay-or-flee")
        ana.tap(".dock >> text=Leave it to Ben")
        ana.wait_for("waiting")
        ana.tap(".waiting .act")  # nobody is there to be asked first
        ana.wait_for("stay-or-flee")
        assert ana.taps == 2


@pytest.mark.parametrize("scene", [story, flee_asked], ids=["to roll", "stay or flee"])
def test_a_watcher_reads_whose_turn_it_is_and_never_your_turn(
    browser: Browser, stage: Stage, tmp_path: Path, scene: object
) -> None:
    assert callable(scene)
    evening: Evening = scene(tmp_path)
    update = evening.update(seat=None, role=wire.Role.SPECTATOR)
    with phone(browser) as page:
        play(page, stage, Scene(evening, update, taps=(".dock .act",)))
        expect(page.locator("#headline")).to_have_text("Ana plays")
        for tab in range(4):
            page.click(f".tab >> nth={tab}")
            assert "your turn" not in page.inner_text("body").lower()
            assert page.title() == "Monster Table"
        game = update.view.game
        assert game is not None
        fallen = tuple(replace(seat, alive=seat.seat != game.active) for seat in game.seats)
        page.click(".tab >> nth=0")
        stage.push(replace(update, view=replace(update.view, game=replace(game, seats=fallen))))
        expect(page.locator("#headline")).to_have_text("Ana plays")


def test_a_thumb_is_not_led_away(browser: Browser, tmp_path: Path) -> None:
    """Own acts lead on where they are: a purchase, then the next, without a look elsewhere."""
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana: Thumb = sit_down(page, served, 0)
        ana.tap(".tab >> nth=1")
        ana.tap(".player-row >> nth=0")
        ana.tap(".number-tile >> nth=0")
        for _ in range(2):
            ana.tap(".number-keys .act >> nth=0")
        expect(page.locator("[data-sheet=number]")).to_have_count(1)

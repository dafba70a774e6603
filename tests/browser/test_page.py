"""What the page does by itself: what comes to the front, and that nothing jumps or is lost."""

from __future__ import annotations

import dataclasses
import gzip
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from companion.engine import Corrected, Correction, Number, Seat
from companion.resources import resource_dir
from companion.service.settings import Settings
from companion.service.views.reasons import why
from companion.service.views.view import NEWEST_ROWS
from companion.service.views.words import clauses
from companion.service.wire import Words
from companion.table import Submission, Table
from companion.table.log import EventLog
from tests.browser.evening import LOST, Evening
from tests.browser.phone import HOST, box_of, phone, play, wiped
from tests.browser.scenes import (
    SCENES,
    Scene,
    camera_lost,
    keys,
    my_turn,
    story,
    with_view,
)
from tests.browser.seated import (
    all_sent,
    at_the_table,
    by_keys,
    evening,
    hit_ben,
    sit_down,
)
from tests.browser.stage import Stage
from tests.service.served import serving

pytestmark = pytest.mark.browser

SHIFTS = """
() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) sum += one.value;
  }).observe({ type: "layout-shift", buffered: false });
  window.shifted = () => sum;
  done(true);
})
"""
FIRST_PAGE_BYTES = 45_000


def test_nothing_jumps_when_a_view_arrives(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    with phone(browser) as page:
        scene = my_turn(tmp_path)
        play(page, stage, scene)
        page.evaluate(SHIFTS)
        evening = scene.evening.numbers(0, 10, 12, 11)
        stage.push(evening.update(tray=scene.update.view.tray))
        expect(page.locator(".number-tile .counter").nth(1)).to_have_text("12")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done(true)))")
        assert page.evaluate("() => window.shifted()") == 0


MENDED = {
    "error.camera.black": "Is something over its lens?",
    "error.camera.reader_died": "The reader stopped.",
    "error.reader.missing": "Install the package again",
    "error.camera.stalled": "stopped answering 12 seconds ago. Plug it in again",
    "": "stopped answering 12 seconds ago",
}


def test_a_lost_camera_is_mended_as_it_was_lost(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    args: dict[str, str | int] = {"source": "/dev/video0", "size": "1280x720"}
    args["expected"] = "480x640"
    with phone(browser) as page:
        scene = camera_lost(tmp_path)
        play(page, stage, scene)
        for problem, words in MENDED.items():
            said = Words(key=problem, args=args) if problem else None
            stage.push(scene.evening.update(tray=replace(LOST, problem=said)))
            expect(page.locator("main")).to_contain_text(words)


def lines_of(evening: Evening) -> int:
    """Return how many lines the log has: what somebody did, and what came of it."""
    rows = evening.views.rows.all(evening.table.snapshot())
    return sum((not row.quiet) + len(row.happened) for row in rows)


def test_the_log_and_a_numbers_sheet_know_more_than_a_view(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        scene = SCENES["11-log"](tmp_path)
        play(page, stage, scene)
        evening = scene.evening
        assert evening.rev > len(scene.update.view.log)
        expect(page.locator(".log-row")).to_have_count(lines_of(evening))
        for energy in range(NEWEST_ROWS + 1):
            evening.numbers(1, 8, 7, energy)
        stage.push(evening.update())
        expect(page.locator(".log-row")).to_have_count(lines_of(evening))
        page.click(".tab >> nth=0")
        page.click(".number-tile >> nth=0")
        reasons = why(evening.table.snapshot(), 0, "health")
        expect(page.locator(".why-row")).to_have_count(min(3, len(reasons.rows)))
        expect(page.locator(".why-row >> nth=-1")).to_contain_text(str(reasons.value))


def test_an_answer_is_set_ahead_and_taken_back(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        play(page, stage, SCENES["09f-ahead"](tmp_path))
        page.click(".number-keys >> nth=0 >> .act >> nth=1")  # flee below 4
        page.click("[data-sheet=ahead] .two .act >> nth=0")
        page.click(".number-end .act >> nth=1")
        page.wait_for_function("() => sessionStorage.getItem('monster-table.outbox') === '[]'")
        page.click(".ahead-act")
        page.click(".number-end .act >> nth=0")
        expect(page.locator("[data-sheet]")).to_have_count(0)
        page.wait_for_function("() => sessionStorage.getItem('monster-table.outbox') === '[]'")
    events = [event for command in stage.commands for event in command["events"]]
    to = ["staten_island", "bronx", "queens", "brooklyn"]
    assert events == [
        {"type": "AheadSaid", "seat": 2, "ahead": {"flee_below": 4, "stay_above": 6, "to": to}},
        {"type": "AheadSaid", "seat": 2, "ahead": None},
    ]


def test_a_clause_can_be_read(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    with phone(browser) as page:
        play(page, stage, SCENES["09d-clause"](tmp_path))
        head = page.inner_text("[data-sheet=clause] .sheet-head")
        clause = clauses()[head.split()[-1].upper()]
        expect(page.locator(".clause-text")).to_contain_text(clause.text)


def test_nothing_is_asked_of_a_secure_context(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    errors: list[str] = []
    with phone(browser) as page:
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        play(page, stage, SCENES["04-proposal"](tmp_path))
        assert page.evaluate("isSecureContext") is False
    assert errors == []


def test_the_first_page_is_small() -> None:
    folder = resource_dir("webui")
    page = (folder / "index.html").read_text("utf8")
    parts = [folder / name for name in re.findall(r'(?:src|href)="/(assets/[^"]+)"', page)]
    size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in (folder / "index.html", *parts))
    assert size <= FIRST_PAGE_BYTES


TYPED = (0, 0, 2)
"""Places of the keys."""
RIGHT = """([energy, typed]) =>
  document.querySelectorAll(".own-value")[2]?.textContent.trim() === energy &&
  document.querySelectorAll(".slot-die").length === typed"""


@dataclass
class Away:
    """A phone that is to leave and return, and the service, which can end and start again."""

    page: Page
    settings: Settings
    service: ExitStack
    table: Table
    energy: int = 0

    def change(self, table: Table | None = None) -> None:
        """Correct Ana's energy as another phone would."""
        self.energy += 1
        elsewhere(table or self.table, self.energy)

    def right(self) -> None:
        """Wait until the phone is right."""
        self.page.wait_for_function(RIGHT, arg=[str(self.energy), len(TYPED)])


def offline(away: Away) -> None:
    """The phone loses its network, and finds it again."""
    away.page.context.set_offline(True)
    away.change()
    away.page.context.set_offline(False)


def restart(away: Away) -> None:
    """The service ends, and starts again on the same port."""
    away.service.close()
    away.page.wait_for_selector(".screen-no-line")
    log = EventLog(away.settings.data)
    table = Table(log)
    away.change(table)
    table.close()
    log.close()
    served = away.service.enter_context(serving(away.settings))
    away.table = served.app_state.table


def sleep(away: Away) -> None:
    """The browser freezes the page, as with a dark screen."""
    session = away.page.context.new_cdp_session(away.page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    away.change()
    session.send("Page.setWebLifecycleState", {"state": "active"})


def back(away: Away) -> None:
    """Another page is opened, and left by the back button."""
    away.page.goto("about:blank")
    away.change()
    away.page.go_back(wait_until="commit")


def reload(away: Away) -> None:
    """The browser had thrown the page away."""
    away.change()
    away.page.reload(wait_until="commit")


@contextmanager
def at_table(browser: Browser, folder: Path) -> Iterator[Away]:
    """Serve an evening; on Ana's phone three dice are typed."""
    evening(folder, "tokyo")
    settings = Settings(folder, host="127.0.0.1", port=0, game="tokyo", names=(HOST,))
    with ExitStack() as service, phone(browser) as page:
        served = service.enter_context(serving(settings))
        thumb = sit_down(page, served, 0)
        thumb.wait_for("by-hand")
        by_keys(thumb, *TYPED)
        settings = dataclasses.replace(settings, port=served.port)
        yield Away(page, settings, service, served.app_state.table)


@pytest.mark.parametrize("leave_and_return", [offline, restart, sleep, back, reload])
def test_a_phone_returns_to_what_is_so_and_keeps_what_was_typed(
    browser: Browser, tmp_path: Path, leave_and_return: Callable[[Away], None]
) -> None:
    with at_table(browser, tmp_path) as away:
        for _ in range(2):
            leave_and_return(away)
            away.right()


HOLD_SETTLING = """
const later = window.setTimeout;
window.setTimeout = (act, ms, ...more) => {
  if (ms !== 350) return later(act, ms, ...more);
  window.settle = act;
  return 0;
};
"""
"""The time in which a new question takes no tap ends when `settle` is called."""


def test_a_question_comes_to_the_front_and_is_left_and_found_again_by_one_tap_each(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as one, phone(browser) as page:
        sit_down(one, served, 0)
        ben = sit_down(page, served, 1)
        ben.wait_for("waiting")
        ben.tap(".tab >> nth=1")
        ben.tap(".player-row >> nth=0")
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


ANSWER_FOR = (".tab >> nth=1", ".player-row >> nth=1", ".answer-for")


def test_answering_for_a_live_phone_is_off_the_way_asks_first_and_can_be_left(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as one, phone(browser) as two:
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        hit_ben(served)
        ben.wait_for("stay-or-flee")
        before = ana.taps
        expect(one.locator(".waiting")).to_be_visible()
        expect(one.locator(".waiting .act")).to_have_count(0)
        for tap in ANSWER_FOR:
            ana.tap(tap)
        ana.tap(".sheet >> text=Wait for Ben")
        ana.wait_for("table")
        for tap in ANSWER_FOR[1:]:
            ana.tap(tap)
        ana.tap(".sheet .act >> text=Answer for Ben")
        ana.wait_for("stay-or-flee")
        ana.tap(".dock >> text=Leave it to Ben")
        ana.wait_for("waiting")
        assert ana.taps - before == 8
        ben.tap(".place-card >> text=Bronx")
        ben.wait_for("waiting")


def test_a_watcher_reads_whose_turn_it_is_and_never_your_turn(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    scene = SCENES["03c-watching"](tmp_path)
    with phone(browser) as page:
        play(page, stage, scene)
        expect(page.locator("#headline")).to_have_text("Ana plays")
        for tab in range(4):
            page.click(f".tab >> nth={tab}")
            assert "your turn" not in page.inner_text("body").lower()
            assert page.title() == "Monster Table"
        game = scene.update.view.game
        assert game is not None
        fallen = tuple(replace(seat, alive=seat.seat != game.active) for seat in game.seats)
        page.click(".tab >> nth=0")
        stage.push(with_view(scene, game=replace(game, seats=fallen)).update)
        expect(page.locator("#headline")).to_have_text("Ana plays")


def test_if_an_attacker_has_to_move_in_its_gain_is_shown_once(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    play(wiped(shared, stage), stage, scenes("09-stay-or-flee"))
    expect(shared.locator(".flee-how .arrow-pair")).to_have_text("910")
    expect(shared.locator(".place-card .arrow-pair")).to_have_count(0)


def region(page: Page, role: Literal["alert", "status"], words: str) -> None:
    """A screen reader says it: an alert at once, a status politely."""
    expect(page.get_by_role(role).filter(has_text=words)).to_have_count(1)


def test_every_phone_says_who_was_hit_entered_and_left(browser: Browser, tmp_path: Path) -> None:
    with (
        at_the_table(tmp_path, "none") as served,
        phone(browser) as one,
        phone(browser) as two,
        phone(browser, language="es") as three,
    ):
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        three.goto(one.url.rpartition("/")[0] + f"/j#{served.app_state.browsers.invitation.token}")
        three.click(".dock .act")
        region(one, "alert", "Your turn: the dice")
        ana.tap(".tab >> nth=3")
        three.click(".tab >> nth=1")
        hit_ben(served)
        expect(one.locator(".news p")).to_have_text(
            ["You take 4 energy", "Ana hit Ben for 2: Attack"]
        )
        expect(three.locator(".news p").last).to_have_text("Ana golpea a Ben por 2: Ataque")
        region(two, "alert", "Ana hit you for 2")
        region(two, "alert", "stay or flee?")
        region(three, "status", "Ana golpea a Ben")
        expect(one.get_by_role("alert").filter(has_text="Your turn")).to_have_count(0)
        ben.wait_for("stay-or-flee")
        expect(two.locator(".poster-band")).to_have_text("Ana hits you for 2.")
        ben.tap(".place-card >> text=Bronx")
        ben.wait_for("waiting")
        expect(two.locator(".news p")).to_have_text(["Ana enters Lower Manhattan: 1 star"])
        expect(two.locator(".toast")).to_contain_text("You flee from Midtown to Bronx")
        expect(two.locator(".last-roll")).to_contain_text("Ana hit you for 2")
        expect(three.locator(".news p")).to_have_count(2)


def test_what_ends_somebody_stands_out_before_apply(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = story(tmp_path).numbers(2, 2, 13, 4).numbers(0, 9, 19, 6)
    page = wiped(shared, stage)
    play(page, stage, Scene(evening, evening.update(), taps=keys(1, 0, 0, 0, 2)))
    expect(page.locator(".effect-chip").first).to_be_visible()
    expect(page.locator(".outcome")).to_have_count(0)
    page.click(*keys(1))
    expect(page.locator(".outcome")).to_have_text(
        ["Enough stars: you win when this turn ends", "This knocks Þórdís out"]
    )
    expect(page.locator(".outcome").first).to_be_in_viewport()


def elsewhere(table: Table, value: int) -> None:
    """Another phone sets Ana's energy."""
    rev = table.snapshot().rev
    event = Corrected(numbers=(Correction(Seat(0), Number.ENERGY, value),))
    table.submit(Submission(f"elsewhere-{rev:06}", rev, (event,), who="1"))


def energy(table: Table) -> int:
    game = table.snapshot().state.game
    assert game is not None
    return game.monsters[0].energy


def both_set(away: Away, taps: int) -> Page:
    """Ana takes so many off her 6 while she is offline; Ben sets 5 meanwhile."""
    page = away.page
    elsewhere(away.table, 6)
    page.locator(".number-tile, .own-number").nth(2).click()
    less = page.locator(".number-keys .act").nth(0)
    expect(page.locator(".number-head .num")).to_have_text("6")
    expect(less).to_be_enabled()
    page.context.set_offline(True)
    for _ in range(taps):
        less.click()
    expect(page.locator(".number-head .num")).to_have_text(str(6 - taps))
    elsewhere(away.table, 5)
    page.context.set_offline(False)
    expect(page.locator(".screen-conflict")).to_be_visible()
    return page


def same(page: Page) -> None:
    page.locator(".conflict-key").nth(0).click()


def both(page: Page) -> None:
    page.locator(".conflict-key").nth(1).click()


def by_hand(page: Page) -> None:
    page.locator(".conflict-dial .act").nth(1).click()
    page.locator(".conflict-dial .act").nth(2).click()


def ask_again(away: Away) -> None:
    """Another phone changes the number during the question: it is asked about again."""
    elsewhere(away.table, 9)
    both(away.page)
    expect(away.page.locator(".conflict-result .num").nth(0)).to_have_text("9")
    assert energy(away.table) == 9


@pytest.mark.parametrize(("taps", "answer", "after"), [(1, same, 5), (2, both, 7), (1, by_hand, 6)])
def test_the_second_hand_on_a_dial_is_asked(
    browser: Browser, tmp_path: Path, taps: int, answer: Callable[[Page], None], after: int
) -> None:
    with at_table(browser, tmp_path) as away:
        page = both_set(away, taps)
        assert energy(away.table) == 5
        expect(page.locator(".conflict-mine")).to_have_text(f"−{taps}")
        if answer is both:
            ask_again(away)
        answer(page)
        expect(page.locator(".screen-conflict")).to_have_count(0)
        all_sent(page)
        assert energy(away.table) == after

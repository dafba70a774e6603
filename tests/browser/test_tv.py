"""Televisions and overlays in a browser: every screen at both sizes, nothing cut or overlapping."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, ViewportSize, expect

from companion.resources import LANGUAGES
from companion.service.settings import Settings
from companion.service.wire import ViewerKind, WifiShown
from companion.vision.readings import TrayState
from tests.browser.phone import HOST, PATIENCE, phone
from tests.browser.scenes import Scene, with_view
from tests.browser.stage import Stage
from tests.browser.tv_scenes import RUNNING, TV_SCENES
from tests.service.phone import START, table_set
from tests.service.served import Browser as Client
from tests.service.served import serving

pytestmark = pytest.mark.browser

SIZES = {"1920x1080": (1920, 1080), "1280x720": (1280, 720)}
MEASURE = (Path(__file__).parent / "measure_tv.js").read_text("utf8")
SMALLEST = 28
"""Pixels of 1080 that a letter's size has at least."""
SHARE = 0.08
"""What the digits of totals have of the height, at least."""
NEWER = """
for (const name of ["at", "findLast", "flat", "flatMap", "toSorted"]) delete Array.prototype[name];
for (const name of ["at", "matchAll", "replaceAll"]) delete String.prototype[name];
for (const name of ["fromEntries", "hasOwn", "groupBy"]) delete Object[name];
for (const name of ["allSettled", "any", "withResolvers"]) delete Promise[name];
for (const name of ["queueMicrotask", "structuredClone", "ResizeObserver"]) delete window[name];
for (const name of ["RelativeTimeFormat", "ListFormat"]) delete Intl[name];
delete Promise.prototype.finally;
"""
"""Takes away what Chromium got after version 68, as far as pages use it."""


@pytest.fixture(scope="module")
def tv_scenes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Scene]:
    """Each scene by its name, played once."""

    @cache
    def scene(name: str) -> Scene:
        return TV_SCENES[name](tmp_path_factory.mktemp(name))

    return scene


@contextmanager
def screen(browser: Browser, size: str = "1920x1080", *, silence: bool = False) -> Iterator[Page]:
    """A window that knows no more than a television of 2018; its errors fail the test.

    `silence`: requests may fail.
    """
    width, height = SIZES[size]
    context = browser.new_context(viewport=ViewportSize(width=width, height=height))
    context.add_init_script(NEWER)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    if not silence:
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    yield page
    context.close()
    assert errors == []


@pytest.fixture(scope="module")
def tv(browser: Browser) -> Iterator[Page]:
    with screen(browser) as page:
        yield page


@pytest.fixture(scope="module")
def small(browser: Browser) -> Iterator[Page]:
    with screen(browser, "1280x720") as page:
        yield page


@pytest.fixture
def own_stage() -> Iterator[Stage]:
    """A stage that may fall silent, since no other window listens to it."""
    one = Stage()
    yield one
    one.close()


def look(page: Page, stage: Stage, scene: Scene, path: str = "/tv") -> None:
    stage.show(scene)
    page.goto(f"http://{HOST}:{stage.port}{path}")
    page.wait_for_selector(".tv")
    game = scene.update.view.game
    if path.startswith("/tv") and game is not None and game.ended is not None:
        page.wait_for_selector(".over-graph")
    page.evaluate("() => document.fonts.ready.then(() => true)")
    page.wait_for_function("() => [...document.images].every((one) => one.complete)")


def overlap(one: Any, other: Any) -> bool:
    across = min(one["right"], other["right"]) - max(one["left"], other["left"])
    down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
    return bool(across > 1 and down > 1)


def outside(box: Any) -> bool:
    return bool(box["left"] < -1 or box["top"] < -1 or box["right"] > 1921 or box["bottom"] > 1081)


def check_layout(page: Page) -> Any:
    """Check that nothing is cut, too small, or over something else; return what was measured."""
    seen = page.evaluate(MEASURE)
    texts, pictures = seen["texts"], seen["pictures"]
    assert texts
    assert seen["cut"] == []
    assert seen["keys"] == []
    assert [one["name"] for one in (*texts, *pictures) if outside(one)] == []
    words = [one for one in texts if not one["drawn"]]
    labels = [one for one in texts if one["drawn"]]
    pairs = [*combinations((*words, *pictures), 2), *combinations(labels, 2)]
    assert [(a["name"], b["name"]) for a, b in pairs if overlap(a, b)] == []
    return seen


@pytest.mark.parametrize("name", TV_SCENES)
def test_a_screen_shows_everything(
    tv: Page, stage: Stage, tv_scenes: Callable[[str], Scene], name: str
) -> None:
    look(tv, stage, tv_scenes(name))
    seen = check_layout(tv)
    assert [one["name"] for one in seen["texts"] if one["size"] < SMALLEST - 0.5] == []
    if not name.startswith("lobby"):
        scene = tv_scenes(name).update.view.game
        assert scene is not None
        assert len(seen["totals"]) >= 2 * len(scene.seats) - sum(not s.alive for s in scene.seats)
        assert min(total["height"] for total in seen["totals"]) >= SHARE * seen["height"]


@pytest.mark.parametrize("name", TV_SCENES)
def test_every_language_fits_a_smaller_screen(
    small: Page, stage: Stage, tv_scenes: Callable[[str], Scene], name: str
) -> None:
    for language in LANGUAGES[1:]:
        look(small, stage, tv_scenes(name), f"/tv?lang={language}")
        check_layout(small)
        assert small.evaluate("document.documentElement.lang") == language


@pytest.mark.parametrize("name", RUNNING)
def test_an_overlay_shows_totals_and_dice_and_nothing_else(
    tv: Page, stage: Stage, tv_scenes: Callable[[str], Scene], name: str
) -> None:
    scene = tv_scenes(name)
    look(tv, stage, scene, "/overlay")
    check_layout(tv)
    game = scene.update.view.game
    assert game is not None
    shown = tv.locator(".overlay-totals").all_inner_texts()
    assert [text.split() for text in shown] == [
        [str(number.value) for number in seat.numbers] for seat in game.seats
    ]
    assert tv.locator("img.qr").count() == 0
    assert "K7Q" not in tv.locator("body").inner_text()
    picture = cv2.imdecode(
        np.frombuffer(tv.screenshot(omit_background=True), np.uint8), cv2.IMREAD_UNCHANGED
    )
    assert picture is not None
    height = picture.shape[0]
    alpha = picture[:, :, 3]
    assert alpha[: height * 3 // 4].max() == 0
    assert alpha[height * 3 // 4 :].max() == 255


def test_a_television_follows_the_table_and_says_how_old_its_numbers_are(
    browser: Browser, own_stage: Stage, tv_scenes: Callable[[str], Scene]
) -> None:
    stage = own_stage
    with screen(browser, silence=True) as page:
        look(page, stage, tv_scenes("new-york"))
        totals = page.locator(".totals").first
        expect(totals).to_have_text("899")
        stage.push(tv_scenes("new-york-happened").update)
        expect(totals).to_have_text("8109")
        assert page.locator(".as-of").count() == 0
        stage.fall_silent()
        expect(page.locator(".as-of")).to_have_text(re.compile(r"As of \d\d:\d\d:\d\d\."))
        assert page.locator(".stage.stale").count() == 1
        expect(totals).to_have_text("8109")
        stage.show(tv_scenes("new-york"))
        expect(totals).to_have_text("899")
        expect(page.locator(".as-of")).to_have_count(0)


@pytest.mark.parametrize(
    ("shown", "is_open", "codes"),
    [
        (WifiShown.ALL, True, ["Scan to join", "Wi-Fi code"]),
        (WifiShown.HOST, True, ["Scan to join"]),
        (WifiShown.NOBODY, True, ["Scan to join"]),
        (WifiShown.ALL, False, []),
    ],
)
def test_the_wifi_code_is_shown_where_the_host_shows_it_to_all(
    tv: Page,
    stage: Stage,
    tv_scenes: Callable[[str], Scene],
    shown: WifiShown,
    is_open: bool,
    codes: list[str],
) -> None:
    scene = tv_scenes("lobby-wifi")
    join = scene.update.view.join
    assert join is not None
    look(tv, stage, with_view(scene, join=replace(join, wifi=shown, open=is_open)))
    assert tv.locator(".way-head, .wifi-head").all_text_contents() == codes
    assert tv.locator("img.qr").count() == len(codes)


def test_both_codes_are_read_from_three_metres(
    tv: Page, stage: Stage, tv_scenes: Callable[[str], Scene]
) -> None:
    look(tv, stage, tv_scenes("lobby-wifi"))
    read = [code_from_afar(tv, alt) for alt in ("QR code of http", "QR code of the Wi-Fi")]
    assert read == ["http://192.168.1.23:8080/j#token", "WIFI:T:WPA;S:Den;P:hush hush;;"]


def code_from_afar(page: Page, alt: str) -> str:
    """Read a code as a phone sees it from three metres on a television of 40 inches, which is 886
    mm wide: a camera of 4000 pixels and 65 degrees has one for each millimetre there.
    """
    picture = page.get_by_alt_text(alt).screenshot()
    grey = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert grey is not None
    width = page.viewport_size["width"] if page.viewport_size else 0
    millimetres = cv2.resize(
        grey, None, fx=886 / width, fy=886 / width, interpolation=cv2.INTER_AREA
    )
    seen = cv2.GaussianBlur(millimetres, (3, 3), 0.8)
    return cv2.QRCodeDetector().detectAndDecode(seen)[0]


def test_the_hosts_phone_scans_a_television_in_and_shuts_it_out(
    browser: Browser, tmp_path: Path
) -> None:
    settings = Settings(data=tmp_path, host="127.0.0.1", port=0, names=(HOST,))
    with (
        serving(settings) as served,
        screen(browser, silence=True) as page,
        phone(browser) as scanning,
    ):
        address = f"http://{HOST}:{served.port}"
        scanning.goto(f"{address}/j#{served.app_state.browsers.invitation.terminal}")
        scanning.wait_for_selector(".screen-join")
        page.goto(f"{address}/tv")
        code = page.locator(".entry .qr")
        expect(code).to_be_visible()
        pair = re.search(r"[0-9a-f]{32}", code.get_attribute("src") or "")
        assert pair is not None
        scanning.goto(f"{address}/#tv-{pair.group()}")
        scanning.click(".screen-let-in .primary")
        scanning.wait_for_selector(".screen-join")
        page.wait_for_selector(".lobby")
        page.reload()
        page.wait_for_selector(".lobby")
        served.app_state.view_tokens.choose_language("is")
        served.app_state.view_tokens.renew(ViewerKind.TV)
        served.app_state.publish()
        page.wait_for_selector(".entry")
        page.goto("about:blank")
        page.goto(f"{address}/tv#{served.app_state.view_tokens.shown().tv}")
        expect(page.locator(".lobby-head")).to_have_text("Hverjir spila í kvöld?")
        assert page.url == f"{address}/tv"


def test_dice_on_their_way_are_not_shown_as_read(
    tv: Page, stage: Stage, tv_scenes: Callable[[str], Scene]
) -> None:
    scene = tv_scenes("new-york-read")
    look(tv, stage, scene)
    rolling = replace(scene.update.view.tray, state=TrayState.ROLLING)
    stage.push(with_view(scene, tray=rolling).update)
    expect(tv.locator(".dice-title")).to_have_text("Rolling…")
    expect(tv.locator(".dice-row.moved")).to_be_visible()


def test_a_fall_and_its_roll_fill_the_television_for_a_moment(
    tv: Page, stage: Stage, tv_scenes: Callable[[str], Scene]
) -> None:
    look(tv, stage, tv_scenes("new-york"))
    stage.push(tv_scenes("new-york-fall").update)
    tv.wait_for_selector(".fall")
    seen = check_layout(tv)
    assert [one["size"] for one in seen["texts"] if one["size"] < SMALLEST - 0.5] == []
    assert "Lampmoth is out" in tv.locator(".fall-head").inner_text().capitalize()
    assert tv.locator(".fall .die").count() == 6
    expect(tv.locator(".fall-change")).to_have_text(re.compile(r"2\s*0"))
    expect(tv.locator(".fall")).to_have_count(0, timeout=20_000)


UNDER_LABELS = """
() => {
  const box = (one) => one.getBoundingClientRect();
  const names = [...document.querySelectorAll(".tv-map-name")];
  const labels = names.map((one) => box(one.previousElementSibling));
  const tiles = [...document.querySelectorAll(".standee > g > g")].map(box);
  const zones = [...document.querySelectorAll(".tv-map-zone")].map(box);
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  return [...labels, ...zones].flatMap((label) => tiles.filter((tile) => over(label, tile)).length);
}
"""


@pytest.mark.parametrize(
    "name", ["new-york-wide", "new-york-six", "new-york-crowded", "tokyo-six", "tokyo-yield"]
)
def test_no_name_on_the_map_is_over_a_monster(
    tv: Page, stage: Stage, tv_scenes: Callable[[str], Scene], name: str
) -> None:
    look(tv, stage, tv_scenes(name))
    assert sum(tv.evaluate(UNDER_LABELS)) == 0


def test_an_overlays_address_lets_it_in_and_no_other_does(browser: Browser, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, host="127.0.0.1", port=0, names=(HOST,))
    with serving(settings) as served, screen(browser, silence=True) as page:
        host = Client(served).join()
        host.say(table_set("P0", "P1", game="tokyo"), START, command_id="command-1")
        address = f"http://{HOST}:{served.port}/overlay"
        page.goto(address)
        page.wait_for_selector(".overlay-outside")
        token = host.ask("GET", "/api/viewers")[1]["overlay"].partition("#")[2]
        page.goto("about:blank")
        page.goto(f"{address}#{token}")
        expect(page.locator(".overlay-seat")).to_have_count(2)

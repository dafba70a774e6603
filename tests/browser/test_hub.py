"""The page of all tables in a browser: boards, who needs help; for everyone, and at every width."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle

import msgspec
import pytest
import uvicorn
from playwright.sync_api import Browser, Page, ViewportSize, expect

from companion.engine import RULESETS
from companion.mqtt.hub import Boards, hub_app
from companion.mqtt.messages import TableStatus, rgb
from companion.resources import LANGUAGES
from companion.service.http.server import listening_socket, server_config
from companion.service.settings import Limits
from companion.service.views.view import COLOURS
from tests.browser.everyone import violations
from tests.browser.phone import PATIENCE
from tests.waiting import WITHIN_S, wait_until

pytestmark = pytest.mark.browser
WIDTHS = (320, 768, 1920)
NAMES = {"puffin_rex": "Ann", "old_scree": "Old Scree", "lampmoth": "B" * 24, "inkwell": "Inkwell"}
SEATS = [
    {
        "seat": n + 1, "name": name, "monster": name, "color": COLOURS[monster],
        "rgb": rgb(COLOURS[monster]), "health": 10 - n, "stars": n, "energy": 2 * n, "alive": n < 3,
    }
    for n, (monster, name) in enumerate(NAMES.items())
]  # fmt: skip


def status(title: str, **more: object) -> bytes:
    """Return what a table retains."""
    fields: dict[str, object] = {
        "title": title, "address": "http://table.test:8080", "table": "g1", "rev": 0,
        "game": max(RULESETS), "turn": 7, "whose": SEATS[1], "seats": SEATS, "roll": None,
        "winner": None, "camera": "ok", "undo": True, "read_again": False, "help": [],
    }  # fmt: skip
    return msgspec.json.encode(msgspec.convert({**fields, **more}, TableStatus))


@dataclass
class Hub:
    """A hub without a broker: messages are put into it."""

    boards: Boards = field(default_factory=lambda: Boards("monster-table"))
    connected: bool = True
    url: str = ""

    def hear(self, name: str, state: bytes, *, online: bool = True) -> None:
        self.boards.hear(f"monster-table/{name}/status", b"online" if online else b"offline", True)
        self.boards.hear(f"monster-table/{name}/state", state, True)


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    hub = Hub()
    hub.hear("a", status("By the window"))
    hub.hear("b", status("In the corner", camera="lost", help=["camera"]))
    hub.hear("c", status("Gone"), online=False)
    hub.hear("d", status("Over", whose=None, winner="Ann"))
    hub.hear("e", status("Free", game=None, seats=[], whose=None, turn=None))
    page = hub_app(hub.boards, lambda: hub.connected)
    server = uvicorn.Server(server_config(page))
    sock = listening_socket("127.0.0.1", 0, Limits())
    thread = threading.Thread(target=server.run, args=([sock],), daemon=True)
    thread.start()
    wait_until(lambda: server.started)
    hub.url = f"http://127.0.0.1:{sock.getsockname()[1]}/"
    yield hub
    server.should_exit = True
    thread.join(WITHIN_S)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    yield page
    context.close()
    assert errors == []


def test_the_tables_are_shown_and_who_needs_help(page: Page, hub: Hub) -> None:
    page.goto(hub.url)
    expect(page.locator(".hub-board")).to_have_count(5)
    expect(page.locator(".hub-help li")).to_have_text(
        ["Gone not connected in the middle of a game", "In the corner the camera is lost"]
    )
    window = page.locator(".hub-board", has_text="By the window")
    expect(window.locator(".hub-seat.turn .hub-name")).to_contain_text("Old Scree")
    expect(window.locator("h3 a")).to_have_attribute("href", "http://table.test:8080")
    expect(page.locator(".hub-board", has_text="Over")).to_contain_text("won by Ann")


def test_a_change_comes_by_itself_and_what_has_the_focus_keeps_it(page: Page, hub: Hub) -> None:
    page.goto(hub.url)
    page.locator("#table-a").focus()
    free = page.locator(".hub-board", has_text="Free")
    expect(free).to_contain_text("no game")
    hub.hear("e", status("Free", turn=1, address="javascript:alert(1)"))
    expect(free).to_contain_text("turn 1")
    expect(free.locator("a")).to_have_count(0)  # an address that is none is no link
    expect(page.locator("#table-a")).to_be_focused()
    hub.hear("e", status("Free", game=None, seats=[], whose=None, turn=None))
    expect(free).to_contain_text("no game")


def test_a_lost_broker_and_a_lost_hub_are_said(page: Page, hub: Hub) -> None:
    page.goto(hub.url)
    trouble = page.locator(".hub-trouble:visible")
    expect(trouble).to_have_count(0)
    hub.connected = False
    expect(trouble).to_contain_text("no connection to the broker")
    hub.connected = True
    expect(trouble).to_have_count(0)
    page.route("**/*", lambda route: route.fulfill(body=""))
    expect(trouble).to_contain_text("No connection to the hub")
    page.unroute("**/*")
    expect(trouble).to_have_count(0)


@pytest.mark.parametrize(
    ("language", "theme"), list(zip(LANGUAGES, cycle(("light", "dark")), strict=False))
)
def test_the_page_is_for_everyone(browser: Browser, hub: Hub, theme: str, language: str) -> None:
    context = browser.new_context(
        locale=language, color_scheme="light" if theme == "light" else "dark", bypass_csp=True
    )
    page = context.new_page()
    page.goto(hub.url)
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator(".hub-board")).to_have_count(5)
    assert violations(page) == []
    for width in WIDTHS:
        page.set_viewport_size(ViewportSize(width=width, height=800))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()

"""The hub's page in a browser: boards, who needs help; for everyone, and at every width."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from companion.engine import RULESETS
from companion.mqtt.hub.collector import MOST_TABLES, Collector
from companion.mqtt.hub.store import HubStore
from companion.mqtt.hub.web import HubApp, HubServer
from companion.mqtt.tables.forms import SeatCard, TableCard
from companion.resources import LANGUAGES
from companion.service.http.connections import Connections
from companion.service.http.server_options import listening_socket
from companion.service.settings import Limits
from tests.browser.everyone.bench import violations
from tests.browser.phone import PATIENCE
from tests.waiting import WITHIN_S

pytestmark = pytest.mark.browser
GAME = max(RULESETS)
WIDTHS = (320, 768, 1920)


def card(title: str, **more: object) -> TableCard:
    seats = tuple(
        SeatCard(player=player, monster=monster, health=10 - n, stars=n, energy=2 * n, alive=n < 3)
        for n, (player, monster) in enumerate(
            (("Ann", "puffin_rex"), ("", "old_scree"), ("B" * 24, "lampmoth"), ("", "inkwell"))
        )
    )
    fields = {
        "title": title, "address": "http://table.test:8080", "log": "g1", "rows": 0, "tip": "",
        "at": "", "game": GAME, "edition": "first", "turn": 7, "active": 1, "seats": seats,
    }  # fmt: skip
    return msgspec.convert(msgspec.to_builtins({**fields, **more}), TableCard)


@dataclass
class Hub:
    """A hub without a broker: messages are put into it."""

    collector: Collector
    url: str

    def hear(self, name: str, shown: TableCard, *, online: bool = True) -> None:
        self.collector.hear(name, "status", b"online" if online else b"offline")
        self.collector.hear(name, "card", msgspec.json.encode(shown))


@contextmanager
def served(folder: Path) -> Iterator[Hub]:
    limits, store = Limits(), HubStore(folder)
    connections, changed = Connections(limits), list[Callable[[], None]]()

    def tell() -> None:
        for one in changed:
            one()

    collector = Collector(store, lambda *_: None, tell)
    app = HubApp(collector, connections)
    changed.append(app.changed)
    server, ready = HubServer(app, connections, limits), threading.Event()
    sock = listening_socket("127.0.0.1", 0, limits)
    thread = threading.Thread(target=server.run, args=(sock, ready.set), daemon=True)
    thread.start()
    assert ready.wait(WITHIN_S)
    collector.connected(True)
    try:
        yield Hub(collector, f"http://127.0.0.1:{sock.getsockname()[1]}/")
    finally:
        server.stop()
        thread.join(WITHIN_S)
        collector.close()
        store.close()


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    with served(tmp_path_factory.mktemp("hub")) as hub:
        hub.hear("a", card("By the window"))
        hub.hear("b", card("In the corner", camera="lost", help=["camera"]))
        hub.hear("c", card("Gone"), online=False)
        hub.hear("d", card("Over", active=None, reason="stars", winners=[0]))
        hub.hear("e", card("Free", game=None, seats=[], active=None, turn=0))
        yield hub


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


def test_a_change_comes_by_itself(page: Page, hub: Hub) -> None:
    page.goto(hub.url)
    free = page.locator(".hub-board", has_text="Free")
    expect(free).to_contain_text("no game")
    hub.hear("e", card("Free", turn=1))
    expect(free).to_contain_text("turn 1")
    hub.hear("e", card("Free", game=None, seats=[], active=None, turn=0))
    expect(free).to_contain_text("no game")


def test_a_hub_that_has_lost_its_broker_says_so(page: Page, hub: Hub) -> None:
    page.goto(hub.url)
    expect(page.locator(".hub-trouble")).to_have_count(0)
    hub.collector.connected(False)
    expect(page.locator(".hub-trouble")).to_contain_text("no connection to the broker")
    hub.collector.connected(True)
    expect(page.locator(".hub-trouble")).to_have_count(0)


def test_a_hub_that_takes_no_more_tables_says_so(page: Page, tmp_path: Path) -> None:
    with served(tmp_path) as hub:
        page.goto(hub.url)
        for number in range(MOST_TABLES + 1):
            hub.collector.hear(f"t{number}", "card", msgspec.json.encode(card("More")))
        expect(page.locator(".hub-trouble")).to_contain_text(f"{MOST_TABLES} tables are all")


def test_two_tables_with_one_name_need_help(page: Page, tmp_path: Path) -> None:
    with served(tmp_path) as hub:
        page.goto(hub.url)
        for turn, origin in enumerate(("one", "two", "one"), 1):
            hub.hear("e", card("Free", origin=origin, turn=turn))
            expect(page.locator(".hub-board", has_text="Free")).to_contain_text(f"turn {turn}")
        expect(page.locator(".hub-help")).to_contain_text("two tables have one name")


def test_a_table_whose_card_is_deleted_leaves_the_page(page: Page, tmp_path: Path) -> None:
    with served(tmp_path) as hub:
        page.goto(hub.url)
        hub.hear("e", card("Free"))
        expect(page.locator(".hub-board")).to_have_count(1)
        hub.collector.hear("e", "card", b"")
        expect(page.locator(".hub-board")).to_have_count(0)
        hub.hear("e", card("Free"))
        expect(page.locator(".hub-board")).to_have_count(1)


def test_an_address_that_is_none_is_no_link(page: Page, hub: Hub) -> None:
    hub.hear("e", card("Free", address="javascript:alert(1)"))
    page.goto(hub.url)
    expect(page.locator(".hub-board", has_text="Free").locator("a")).to_have_count(0)


@pytest.mark.parametrize("theme", ["night", "paper", "black"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_for_everyone(page: Page, hub: Hub, theme: str, language: str) -> None:
    page.goto(hub.url)
    prefs = msgspec.json.encode({"theme": theme, "language": language}).decode()
    page.evaluate("(prefs) => localStorage.setItem('monster-table.prefs', prefs)", prefs)
    page.reload()
    expect(page.locator(".hub-board")).to_have_count(5)
    assert violations(page) == []
    for width in WIDTHS:
        page.set_viewport_size(ViewportSize(width=width, height=800))
        assert page.evaluate("document.documentElement.scrollWidth") <= width

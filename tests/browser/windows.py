"""Windows of several engines of browsers, with what a player does in them and no more."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import Browser, Page, ViewportSize
from websocket import WebSocket, create_connection

from tests.browser.phone import PATIENCE, phone


class Window(Protocol):
    """A window of a browser; selectors are CSS."""

    def open(self, address: str) -> None:
        """Go to the address."""

    def wait(self, css: str) -> None:
        """Wait until an element is to be seen."""

    def tap(self, css: str) -> None:
        """Tap the first element that fits, once it is to be seen."""

    def type(self, css: str, text: str) -> None:
        """Replace what is in the field."""

    def choose_file(self, css: str, path: Path) -> None:
        """Give a photo to a field for files."""

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page; a promise is waited for."""

    def until(self, script: str) -> None:
        """Wait until an expression in the page is true."""


class ChromiumWindow:
    """A window of Chromium."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, address: str) -> None:
        self.page.goto(address)

    def wait(self, css: str) -> None:
        self.page.locator(css).first.wait_for()

    def tap(self, css: str) -> None:
        self.page.locator(css).first.click()

    def type(self, css: str, text: str) -> None:
        self.page.fill(css, text)

    def choose_file(self, css: str, path: Path) -> None:
        self.page.set_input_files(css, path)

    def run(self, script: str) -> Any:
        return self.page.evaluate(script)

    def until(self, script: str) -> None:
        self.page.wait_for_function(f"() => {script}")


@contextmanager
def chromium_window(browser: Browser) -> Iterator[Window]:
    """Open a phone's window with cookies of its own."""
    with phone(browser) as page:
        yield ChromiumWindow(page)


@contextmanager
def chromium_tv(browser: Browser) -> Iterator[Window]:
    """Open a television's window."""
    context = browser.new_context(viewport=ViewportSize(width=1280, height=720))
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield ChromiumWindow(page)
    context.close()


Json = dict[str, Any]
LISTENING = "WebDriver BiDi listening on "
POLL_S = 0.05
REACHED = """(css) => {
  const found = [...document.querySelectorAll(css)].find((one) => one.getClientRects().length > 0);
  if (found === undefined || found.disabled) return null;
  found.scrollIntoView({ block: "center" });
  const box = found.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const there = document.elementFromPoint(x, y);
  return found.contains(there) ? JSON.stringify([Math.round(x), Math.round(y)]) : null;
}"""
"""Where an element can be tapped, once nothing covers it."""
SEEN = "(css) => [...document.querySelectorAll(css)].some((one) => one.getClientRects().length > 0)"
ALL = "\ue009a"
"""Control and A."""


class BidiError(Exception):
    """A command was refused."""


class Bidi:
    """A session of WebDriver BiDi."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.ids = count(1)

    def ask(self, method: str, **params: object) -> Json:
        """Send a command and return its result."""
        number = next(self.ids)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer: Json = json.loads(self.socket.recv())
            if answer.get("id") == number:
                if answer["type"] == "error":
                    raise BidiError(f"{method}: {answer['message']}")
                found: Json = answer["result"]
                return found


class FirefoxWindow:
    """A window with cookies of its own."""

    def __init__(self, bidi: Bidi, size: tuple[int, int]) -> None:
        self.bidi = bidi
        user = bidi.ask("browser.createUserContext")["userContext"]
        made = bidi.ask("browsingContext.create", type="tab", userContext=user)
        self.context = made["context"]
        viewport = {"width": size[0], "height": size[1]}
        bidi.ask("browsingContext.setViewport", context=self.context, viewport=viewport)

    def open(self, address: str) -> None:
        self.bidi.ask(
            "browsingContext.navigate", context=self.context, url=address, wait="complete"
        )

    def wait(self, css: str) -> None:
        self._patiently(lambda: self._call(SEEN, css))

    def tap(self, css: str) -> None:
        self.bidi.ask("browsingContext.activate", context=self.context)
        x, y = json.loads(self._patiently(lambda: self._call(REACHED, css)))
        move = {"type": "pointerMove", "x": x, "y": y}
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self._perform("pointer", [move, down, up], {"parameters": {"pointerType": "touch"}})

    def type(self, css: str, text: str) -> None:
        self.tap(css)
        keys = [
            {"type": "keyDown", "value": ALL[0]},
            {"type": "keyDown", "value": ALL[1]},
            {"type": "keyUp", "value": ALL[1]},
            {"type": "keyUp", "value": ALL[0]},
        ]
        for letter in text:
            keys += [{"type": "keyDown", "value": letter}, {"type": "keyUp", "value": letter}]
        self._perform("key", keys, {})

    def choose_file(self, css: str, path: Path) -> None:
        locator = {"type": "css", "value": css}
        nodes = self.bidi.ask("browsingContext.locateNodes", context=self.context, locator=locator)
        element = {"sharedId": nodes["nodes"][0]["sharedId"]}
        self.bidi.ask("input.setFiles", context=self.context, element=element, files=[str(path)])

    def run(self, script: str) -> Any:
        return self._call(f"() => {script}")

    def until(self, script: str) -> None:
        self._patiently(lambda: self.run(script))

    def _perform(self, kind: str, actions: list[Json], more: Json) -> None:
        source = {"type": kind, "id": kind, "actions": actions, **more}
        self.bidi.ask("input.performActions", context=self.context, actions=[source])

    def _call(self, function: str, *words: str) -> Any:
        answer = self.bidi.ask(
            "script.callFunction",
            functionDeclaration=function,
            arguments=[{"type": "string", "value": one} for one in words],
            target={"context": self.context},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise BidiError(str(answer["exceptionDetails"]["text"]))
        return answer["result"].get("value")

    def _patiently(self, ask: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE / 1000
        while not (found := ask()):
            assert time.monotonic() < end, "it never came"
            time.sleep(POLL_S)
        return found


@contextmanager
def firefox() -> Iterator[Bidi]:
    """Start Firefox with a fresh profile; end it afterwards."""
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    assert found is not None, "Missing: apt install firefox-esr"
    with tempfile.TemporaryDirectory() as profile:
        words = [found, "--headless", "--profile", profile, "--remote-debugging-port", "0"]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as running:
            assert running.stderr is not None
            line = next(line for line in running.stderr if LISTENING in line)
            address = line.partition(LISTENING)[2].strip()
            socket = create_connection(
                f"{address}/session", timeout=PATIENCE / 1000, suppress_origin=True
            )
            bidi = Bidi(socket)
            bidi.ask("session.new", capabilities={})
            try:
                yield bidi
            finally:
                bidi.ask("browser.close")
                socket.close()

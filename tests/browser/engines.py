"""Whole games in other engines of browsers: `python -m tests.browser.engines webkit tokyo 2`.

Selenium drives Debian's WebKitGTK (`webkit2gtk-driver`), one browser for each phone and for the TV;
Firefox is one browser with a user context for each.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import WebKitGTK, WebKitGTKOptions
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait
from selenium.webdriver.webkitgtk.service import Service
from websocket import WebSocket, create_connection

from companion.service.settings import Settings
from tests.browser.phone import HOST, PATIENCE
from tests.browser.test_turn import photos
from tests.browser.whole_game import NAMES, Phone, WholeGame
from tests.browser.windows import Window
from tests.service.served import serving

KNOWN = {
    "vibration": "'vibrate' in navigator",
    "speech": "'speechSynthesis' in window",
    "sound": "'AudioContext' in window",
    "wake lock": "'wakeLock' in navigator",
    "share": "'share' in navigator",
}
"""What phones can do beside the page, by what tells it."""
PHONE, TV = (390, 844), (1280, 720)
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


class SeleniumWindow:
    """A window that Selenium drives."""

    def __init__(self, driver: WebDriver) -> None:
        self.driver = driver
        self.patient = WebDriverWait(
            driver, PATIENCE / 1000, poll_frequency=0.05, ignored_exceptions=[WebDriverException]
        )

    def open(self, address: str) -> None:
        self.driver.get(address)

    def wait(self, css: str) -> None:
        self.patient.until(lambda driver: driver.find_element(By.CSS_SELECTOR, css).is_displayed())

    def tap(self, css: str) -> None:
        self.patient.until(lambda driver: self._tapped(driver, css))

    def _tapped(self, driver: WebDriver, css: str) -> bool:
        # An element that something covers raises, and is tried again.
        found = driver.find_element(By.CSS_SELECTOR, css)
        driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", found)
        if not found.is_enabled():
            return False
        found.click()
        return True

    def type(self, css: str, text: str) -> None:
        self.wait(css)
        field = self.driver.find_element(By.CSS_SELECTOR, css)
        field.clear()
        field.send_keys(text)

    def choose_file(self, css: str, path: Path) -> None:
        self.driver.find_element(By.CSS_SELECTOR, css).send_keys(str(path))

    def run(self, script: str) -> Any:
        return self.driver.execute_script(f"return {script}")

    def until(self, script: str) -> None:
        self.patient.until(lambda driver: self.run(script))


@contextmanager
def webkit_window(size: tuple[int, int]) -> Iterator[Window]:
    """Open a window of WebKitGTK with cookies of its own."""
    found = shutil.which("WebKitWebDriver")
    assert found is not None, "Missing: apt install webkit2gtk-driver xvfb"
    driver = WebKitGTK(options=WebKitGTKOptions(), service=Service(found))
    try:
        driver.set_window_size(*size)
        yield SeleniumWindow(driver)
    finally:
        driver.quit()


def host() -> str:
    """Return the table's name if the machine knows it: the page is no secure context then."""
    try:
        return HOST if socket.gethostbyname(HOST) == "127.0.0.1" else "127.0.0.1"
    except OSError:
        return "127.0.0.1"


@contextmanager
def windows_of(engine: str) -> Iterator[Callable[[tuple[int, int]], Window]]:
    """Give a function that opens a window of this size in the engine."""
    with ExitStack() as open_:
        if engine == "firefox":
            bidi = open_.enter_context(firefox())
            yield lambda size: FirefoxWindow(bidi, size)
        else:
            yield lambda size: open_.enter_context(webkit_window(size))


def main(engine: str, game: str, seed: str) -> None:
    """Play one game and print how long it took and the taps."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as open_:
        settings = Settings(Path(folder), host="127.0.0.1", port=0, game=game, names=(HOST,))
        served = open_.enter_context(serving(settings))
        window = open_.enter_context(windows_of(engine))
        phones = [Phone(window(PHONE)) for _ in NAMES]
        tv = window(TV)
        chance = Random(f"{game}/{seed}")
        whole = WholeGame(served, phones, tv, chance, photos(Path(folder), game), host())
        whole.sit_down(game)
        print("secure context:", phones[0].window.run("isSecureContext"))
        print("engine:", phones[0].window.run("navigator.userAgent"))
        print("knows:", *[name for name, known in KNOWN.items() if phones[0].window.run(known)])
        ended = whole.play().ended
        print(f"{game} {seed}: {ended}, {time.monotonic() - begun:.0f} s")
        print("acts", dict(whole.taps.times), "taps", dict(whole.taps))
        assert all(made <= whole.taps.allowed[what] for what, made in whole.taps.items())


if __name__ == "__main__":
    main(*sys.argv[1:])

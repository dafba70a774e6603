"""How soon a phone's first page can be used, on a slow phone: `python -m tests.browser.first_load`.

The browser runs four times slower and keeps nothing. From the start of the navigation until the
screen with the keys is drawn, and until a tap on a key has drawn its die.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.conftest import chromium
from tests.browser.phone import phone
from tests.browser.seated import at_the_table, sit_down

SLOWER = 4
WATCH = """
  const drawn = (css, then) => new MutationObserver((_, me) => {
    if (document.querySelector(css) === null) return;
    me.disconnect();
    requestAnimationFrame(() => then(performance.now()));
  }).observe(document, { childList: true, subtree: true });
  drawn(".screen-by-hand .key", (at) => {
    window.shown = at;
    drawn(".slot-die", (then) => { window.tapped = then; });
    document.querySelector(".key").click();
  });
"""


def load(page: Page) -> tuple[float, float]:
    """Load the page anew; return when its keys were drawn and a tap was answered, in ms."""
    page.evaluate("() => sessionStorage.clear()")
    page.reload(wait_until="commit")
    page.wait_for_function("() => window.tapped !== undefined")
    shown, tapped = page.evaluate("() => [window.shown, window.tapped]")
    return shown, tapped


def measured(browser: Browser, folder: Path, times: int) -> list[tuple[float, float]]:
    """Load the page of a turn so many times."""
    with at_the_table(folder, "none", "tokyo") as served, phone(browser) as page:
        sit_down(page, served, 0).wait_for("by-hand")
        session = page.context.new_cdp_session(page)
        session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.add_init_script(WATCH)
        return [load(page) for _ in range(times)]


def main(times: int) -> None:
    """Print the median and the most of each."""
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        found = measured(browser, Path(folder), times)
    for name, values in zip(("drawn", "a tap answered"), zip(*found, strict=True), strict=True):
        middle, most = statistics.median(values), max(values)
        print(f"{name}: n {times}, median {middle:.0f} ms, most {most:.0f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)

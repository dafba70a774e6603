"""How soon a phone is right after it was away: `python -m tests.browser.returns [TIMES]`.

Ana has typed three dice when her phone leaves; meanwhile another phone corrects her energy. Right:
her phone shows that, and her dice are as she typed them.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from playwright.sync_api import Browser, Page

from companion.engine import Corrected, Correction, Number, Seat
from companion.service.settings import Settings
from companion.table import Submission, Table
from companion.table.log import EventLog
from tests.browser.conftest import chromium
from tests.browser.phone import HOST, phone
from tests.browser.seated import by_keys, evening, sit_down
from tests.service.served import serving

OFFLINE_S = 30
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
    hold_s: float = 0.0
    """How long it stays away, once it has noticed."""
    energy: int = 0

    def change(self, table: Table | None = None) -> None:
        """Correct Ana's energy as another phone would."""
        table = table or self.table
        self.energy += 1
        event = Corrected(numbers=(Correction(Seat(0), Number.ENERGY, self.energy),))
        rev = table.snapshot().rev
        table.submit(Submission(f"elsewhere-{rev:06}", rev, (event,), who="1"))

    def hold(self) -> None:
        """Stay away."""
        time.sleep(self.hold_s)

    def right(self, began: float) -> float:
        """Wait until the phone is right; return how long that took, in milliseconds."""
        self.page.wait_for_function(RIGHT, arg=[str(self.energy), len(TYPED)])
        return 1000 * (time.perf_counter() - began)


def offline(away: Away) -> float:
    """The phone loses its network, and finds it again."""
    away.page.context.set_offline(True)
    away.change()
    away.hold()
    began = time.perf_counter()
    away.page.context.set_offline(False)
    return away.right(began)


def restart(away: Away) -> float:
    """The service ends, and starts again on the same port."""
    away.service.close()
    away.page.wait_for_selector(".screen-no-line")
    log = EventLog(away.settings.data)
    table = Table(log)
    away.change(table)
    table.close()
    log.close()
    away.hold()
    served = away.service.enter_context(serving(away.settings))
    began = time.perf_counter()
    away.table = served.app_state.table
    return away.right(began)


def sleep(away: Away) -> float:
    """The browser freezes the page, as with a dark screen."""
    session = away.page.context.new_cdp_session(away.page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    away.change()
    away.hold()
    began = time.perf_counter()
    session.send("Page.setWebLifecycleState", {"state": "active"})
    return away.right(began)


def back(away: Away) -> float:
    """Another page is opened, and left by the back button."""
    away.page.goto("about:blank")
    away.change()
    away.hold()
    began = time.perf_counter()
    away.page.go_back(wait_until="commit")
    return away.right(began)


def reload(away: Away) -> float:
    """The browser had thrown the page away."""
    away.change()
    began = time.perf_counter()
    away.page.reload(wait_until="commit")
    return away.right(began)


WAYS: dict[str, Callable[[Away], float]] = {
    one.__name__: one for one in (offline, restart, sleep, back, reload)
}


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
        settings = replace(settings, port=served.port)
        yield Away(page, settings, service, served.app_state.table)


def main(times: int) -> None:
    """Print how long each way took, in milliseconds."""
    with chromium() as browser:
        for name, way in WAYS.items():
            with tempfile.TemporaryDirectory() as folder, at_table(browser, Path(folder)) as away:
                away.hold_s = OFFLINE_S if name == "offline" else 2
                found = sorted(way(away) for _ in range(1 if name == "offline" else times))
                middle, most = statistics.median(found), found[-1]
                print(
                    f"{name}: n {len(found)}, median {middle:.0f} ms, most {most:.0f} ms",
                    flush=True,
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)

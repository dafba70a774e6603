"""Two tables on one machine, each a service at a port of its own: nothing crosses from one to the
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from companion.service import wire
from companion.service.requests import HealthAnswer
from companion.service.settings import Settings
from companion.service.views.view import MONSTERS
from tests.service.person import Person
from tests.service.served import Served, serving


@dataclass
class Side:
    """One of the two tables, and its host."""

    title: str
    served: Served
    host: Person

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.served.port}"

    @property
    def join(self) -> wire.Join:
        """How further phones join it, as its host sees it."""
        join = self.host.view(self.url).join
        assert join is not None
        return join


def side(title: str, served: Served) -> Side:
    """Join as the host, and start a game."""
    found = Side(title, served, Person())
    found.host.join(f"{found.url}/j#{served.app_state.browsers.invitation.terminal}")
    seats = [{"player": f"{title} {n}", "monster": MONSTERS[n]} for n in range(2)]
    table = {"type": "TableSet", "game": "new-york", "edition": "first", "seats": seats}
    found.host.say(found.url, "start-the-game", table, {"type": "GameStarted", "first": 0})
    return found


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[tuple[Side, Side]]:
    with ExitStack() as open_:
        window, bar = (
            open_.enter_context(
                serving(Settings(tmp_path / name, host="127.0.0.1", port=0, title=name))
            )
            for name in ("window", "bar")
        )
        yield side("window", window), side("bar", bar)


def test_each_is_known_by_its_title(sides: tuple[Side, Side]) -> None:
    for one in sides:
        assert one.join.table == one.title
        answer = Person().ask(one.url, "/api/health")[1]
        assert msgspec.json.decode(answer, type=HealthAnswer).table == one.title


def test_no_cookie_code_or_command_of_one_counts_at_the_other(sides: tuple[Side, Side]) -> None:
    for mine, theirs in (sides, sides[::-1]):
        before = theirs.host.view(theirs.url)
        assert mine.host.ask(theirs.url, "/api/state")[0] == 403
        ((_, secret),) = mine.host.cookies.items()
        forged = Person({next(iter(theirs.host.cookies)): secret})
        assert forged.ask(theirs.url, "/api/state")[0] == 403
        for how in ({"token": mine.join.url.partition("#")[2]}, {"code": mine.join.code}):
            assert Person().ask(theirs.url, "/api/join", how)[0] == 403
        body = {
            "command_id": "crossing-over",
            "base_rev": before.rev,
            "events": [{"type": "PutOff"}],
        }
        assert mine.host.ask(theirs.url, "/api/commands", body)[0] == 403
        # A browser that has joined both sends both cookies to either, and a page of one table is
        # a stranger's page at the other.
        both = Person({**mine.host.cookies, **theirs.host.cookies})
        assert both.ask(theirs.url, "/api/commands", body, origin=mine.url)[0] == 403
        assert both.update(mine.url).you == mine.host.update(mine.url).you
        assert theirs.host.view(theirs.url).rev == before.rev

"""`companion serve`: how it starts, stops, and the one line in which it reports an error."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import msgspec
import pytest
from flask import Flask

from companion.cli.serve import announce
from companion.service import wire
from companion.service.requests import HealthAnswer
from tests.service.person import Person
from tests.service.phone import START, app_state_of, table_set
from tests.service.served import Served, loopback, serving
from tests.service.supervised import supervised
from tests.waiting import WITHIN_S

COMMAND = [sys.executable, "-c", "from companion.cli import main; main()", "serve"]


def test_a_data_folder_another_service_writes_to(app: Flask) -> None:
    data = str(app_state_of(app).settings.data)
    command = [*COMMAND, "--port", "0", "--data", data]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert data in done.stderr
    assert len(done.stderr.splitlines()) == 1


NO_LOCKS = """
import errno, fcntl
def flock(*given):
    raise OSError(errno.{reason}, "no locks here")
fcntl.flock = flock
"""


@pytest.mark.parametrize("reason", ["ENOLCK", "ENOSYS", "EOPNOTSUPP", "EINVAL"])
def test_it_serves_from_a_file_system_without_locks_and_says_so(
    tmp_path: Path, reason: str
) -> None:
    data = tmp_path / "data"
    with supervised(data, f"{tmp_path}/n", before=NO_LOCKS.format(reason=reason)) as service:
        with urlopen(service.info["url"], timeout=WITHIN_S) as page:
            assert page.status == 200
        shown = service.end(signal.SIGTERM)
    assert service.process.returncode == 0
    assert f"{data} is on a file system without locks" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_prints_how_to_join_and_stops_on_a_signal(tmp_path: Path, how: signal.Signals) -> None:
    with supervised(tmp_path / "data", f"{tmp_path}/n") as service:
        line = service.info
        assert line["join"].startswith(f"{line['url']}/j#")
        shown = service.end(how)
    assert service.process.returncode == 0
    for part in (line["join"], line["code"], "█"):
        assert part in shown


def into(stream: str, where: str) -> dict[str, Any]:
    """Popen's arguments: that stream leads to a full disk or into a pipe that nobody reads."""
    if where == "full":
        return {stream: os.open("/dev/full", os.O_WRONLY)}
    reader, writer = os.pipe()
    os.close(reader)
    return {stream: writer}


@pytest.mark.parametrize(
    ("stream", "where"), [("stdout", "full"), ("stdout", "unread"), ("stderr", "full")]
)
def test_it_serves_where_what_it_says_cannot_be_printed(
    tmp_path: Path, stream: str, where: str
) -> None:
    options = ["--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | into(stream, where)
    with subprocess.Popen([*COMMAND, *options], text=True, **streams) as service:
        os.close(streams[stream])
        other = service.stderr if stream == "stdout" else service.stdout
        assert other is not None
        lines = iter(other.readline, "")
        url = next(found[0] for line in lines if (found := re.search(r"http://[\d.:]+", line)))
        with urlopen(url, timeout=WITHIN_S) as page:
            assert page.status == 200
        service.terminate()
        rest = other.read()
        assert service.wait(WITHIN_S) == 0
    assert "Traceback" not in rest
    assert "ignored" not in rest


def test_it_says_nothing_where_there_was_never_a_terminal(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streams that are closed before Python starts are None."""
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(sys, stream, None)
    announce(app_state_of(app))


def test_a_command_that_cannot_print_keeps_its_exit_status() -> None:
    with Path("/dev/full").open("w") as full:
        command = [*COMMAND[:-1], "cards"]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=WITHIN_S, check=False
        )
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "No space left" in done.stderr
        refused = [*COMMAND, "--game", "chess"]
        assert subprocess.run(refused, stderr=full, timeout=WITHIN_S, check=False).returncode == 2


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
    table = table_set(f"{title} 0", f"{title} 1", game="new-york")
    found.host.say(found.url, "start-the-game", table, START)
    return found


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[tuple[Side, Side]]:
    with ExitStack() as open_:
        window, bar = (
            open_.enter_context(serving(loopback(tmp_path / name, title=name)))
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

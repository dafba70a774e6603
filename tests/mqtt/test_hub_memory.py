"""The hub as its own process, with its bound on memory, and messages longer than that."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from companion.cli.mqtt.hub import MOST_MEMORY
from companion.engine import RULESETS
from tests.mqtt.broker import Broker, watching
from tests.mqtt.table import published
from tests.mqtt.test_ended import fill
from tests.waiting import WITHIN_S

pytestmark = pytest.mark.broker
ADDRESS = re.compile(r"http://\S+:(\d+)")


def command(folder: Path, broker: Broker, program: str) -> list[str]:
    settings = folder / "hub.toml"
    settings.write_text(f'broker = "mqtt://127.0.0.1:{broker.port}"')
    options = ["--data", str(folder / "hub"), "--host", "127.0.0.1", "--port", "0"]
    return [sys.executable, "-c", program, "hub", "--mqtt", str(settings), *options]


@contextmanager
def running_hub(
    folder: Path, broker: Broker, program: str = "from companion.cli import main; main()"
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a hub; yield its process, and the port of its page."""
    with subprocess.Popen(
        command(folder, broker, program), stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            port = next(found for line in process.stderr if (found := ADDRESS.search(line)))
            yield process, int(port[1])
        finally:
            process.kill()


def rows(port: int, table: str) -> int:
    """Return how many rows of the table the hub has; -1 without the table, or a hub."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=WITHIN_S)) as connection:
        try:
            connection.request("GET", "/api/hub", headers={"Host": "127.0.0.1"})
            found = json.loads(connection.getresponse().read())
        except OSError:
            return -1
    return next((one["rows"] for one in found["tables"] if one["name"] == table), -1)


MANY_CORES = "import os; os.cpu_count = lambda: 64; from companion.cli import main; main()"


def test_many_results_and_many_readers_have_room(tmp_path: Path, broker: Broker) -> None:
    (tmp_path / "hub").mkdir()
    fill(tmp_path / "hub", 20_000, seats=4)
    with running_hub(tmp_path, broker, MANY_CORES) as (process, port), ExitStack() as stack:
        answers = []
        for path in ["/api/hub/stream"] * 60 + ["/api/hub", "/api/hub/results.csv"] * 4:
            one = http.client.HTTPConnection("127.0.0.1", port, timeout=WITHIN_S)
            stack.enter_context(closing(one))
            one.request("GET", path, headers={"Host": "127.0.0.1"})
            answers.append(one)
        for one in answers[:60]:
            assert one.getresponse().readline().startswith(b"data: ")
        for one in answers[60:]:
            content = one.getresponse().read()
            assert content.startswith(b"{") or content.count(b"\n") == 1 + 4 * 20_000
        assert process.poll() is None


def test_a_long_message_that_the_broker_retains_never_reaches_the_hub(
    tmp_path: Path, broker: Broker
) -> None:
    with watching(broker) as home:
        home.client.unsubscribe("#")
        home.client.publish(
            "monster-table/other/card", bytes(MOST_MEMORY // 2), retain=True
        ).wait_for_publish(WITHIN_S)
    with published(tmp_path, broker, "hub = true") as table:
        table.phone.set_up(max(RULESETS))
        with running_hub(tmp_path, broker) as (process, port):
            # What the hub asks for comes behind all that was retained.
            table.until(lambda: process.poll() is not None or rows(port, "window") == 2)
            assert process.poll() is None

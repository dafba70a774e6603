"""The hub as its own process, with its bound on memory, and messages longer than that."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from companion.cli.mqtt.hub import MOST_MEMORY
from companion.engine import RULESETS
from tests.mqtt.broker import Broker, watching
from tests.mqtt.table import published
from tests.waiting import WITHIN_S

pytestmark = pytest.mark.broker
ADDRESS = re.compile(r"http://\S+:(\d+)")


def command(folder: Path, broker: Broker) -> list[str]:
    settings = folder / "hub.toml"
    settings.write_text(f'broker = "mqtt://127.0.0.1:{broker.port}"')
    program = [sys.executable, "-c", "from companion.cli import main; main()", "hub", "--mqtt"]
    options = ["--data", str(folder / "hub"), "--host", "127.0.0.1", "--port", "0"]
    return [*program, str(settings), *options]


@contextmanager
def running_hub(folder: Path, broker: Broker) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a hub; yield its process, and the port of its page."""
    with subprocess.Popen(command(folder, broker), stderr=subprocess.PIPE, text=True) as process:
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

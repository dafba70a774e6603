"""Brokers that want a password, speak TLS, or mean harm."""

from __future__ import annotations

import gc
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from companion.engine import RULESETS
from companion.errors import KeyedError
from companion.mqtt.client import Link
from companion.mqtt.publisher import PRESSES_APART_S, SENT_S
from companion.mqtt.settings import Broker as Address
from companion.table import HOME
from tests.mqtt.broker import Broker, certificates, mosquitto
from tests.mqtt.table import Table, published
from tests.waiting import WITHIN_S, wait_until

pytestmark = pytest.mark.broker


def with_user(folder: Path) -> Broker:
    """Return a broker that lets in `ann` alone."""
    users = folder / "users"
    folder.mkdir()
    passwd = Path(mosquitto()).with_name("mosquitto_passwd")
    tool = passwd if passwd.exists() else Path("/usr/bin/mosquitto_passwd")
    users.touch()
    subprocess.run([tool, "-b", users, "ann", "right"], check=True, capture_output=True)
    return Broker(folder, (f"password_file {users}",), anonymous=False)


@pytest.mark.parametrize(
    ("word", "reported"), [("right", "mqtt.connected"), ("wrong", "mqtt.lost")]
)
def test_a_broker_that_wants_a_password_gets_it_and_the_game_goes_on_with_a_wrong_one(
    tmp_path: Path, word: str, reported: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(f"{word}\n")
    secret.chmod(0o600)
    with with_user(tmp_path / "broker").running() as broker:
        address = f'broker = "mqtt://ann@127.0.0.1:{broker.port}"'
        with published(tmp_path, broker, address, 'password_file = "secret"') as table:
            wait_until(lambda: bool(table.reported))
            table.phone.set_up(min(RULESETS))
            assert table.reported[0] == reported


def with_tls(folder: Path, name: str) -> Broker:
    folder.mkdir()
    certificates(folder, name)
    return Broker(folder, (f"certfile {folder}/cert.pem", f"keyfile {folder}/key.pem"))


def collect_sockets(name: str) -> None:
    """Collect what paho leaves behind if TLS fails, once the threads of this name have ended: they
    hold on to the fault.
    """
    for thread in threading.enumerate():
        if thread.name.startswith(name):
            thread.join(WITHIN_S)
    gc.collect()


UNCLOSED = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@UNCLOSED
@pytest.mark.parametrize(
    ("name", "trusted", "reported"),
    [
        ("localhost", True, "mqtt.connected"),
        ("localhost", False, "mqtt.lost"),
        ("other.lan", True, "mqtt.lost"),
    ],
)
def test_the_certificate_of_a_broker_and_its_name_are_checked(
    tmp_path: Path, name: str, trusted: bool, reported: str
) -> None:
    with with_tls(tmp_path / "broker", name).running() as broker:
        address = f'broker = "mqtts://localhost:{broker.port}"'
        trust = ('ca_file = "broker/cert.pem"',) if trusted else ()
        with published(tmp_path, broker, address, *trust) as table:
            wait_until(lambda: bool(table.reported))
            assert table.reported[0] == reported
    collect_sockets("paho")


def test_a_certificate_that_is_none_is_refused_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "none.pem").write_text("none")
    broker = Broker(tmp_path)
    address = f'broker = "mqtts://localhost:{broker.port}"'
    with pytest.raises(KeyedError), published(tmp_path, broker, address, 'ca_file = "none.pem"'):
        pass


CONNACK = bytes((0x20, 3, 0, 0, 0))
"""That the broker lets a client in, in MQTT 5."""
ENDLESS = bytes((0x30, 0xFF, 0xFF, 0xFF, 0x7F)) + b"\x00\x01a"
"""The head of a message of 256 MB."""
HOSTILE = {
    "hangs up": b"",
    "speaks nonsense": CONNACK + bytes(range(256)),
    "breaks off its message": CONNACK + ENDLESS + b"x" * 65_536,
}


def message(topic: str, payload: bytes) -> bytes:
    """Return a short message as the broker sends it."""
    content = len(topic).to_bytes(2, "big") + topic.encode() + b"\x00" + payload
    assert len(content) < 128
    return bytes((0x30, len(content))) + content


@contextmanager
def hostile(content: bytes, port: int) -> Iterator[list[int]]:
    """Answer each connection with this, and with nothing else; yield how many came."""
    came: list[int] = []
    with socket.create_server(("127.0.0.1", port)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    sock, _ = server.accept()
                    came.append(1)
                    with sock, suppress(OSError):
                        sock.recv(4096)
                        sock.sendall(content)
                        sock.shutdown(socket.SHUT_WR)
                        while sock.recv(4096):  # unread, it would take along what was sent
                            pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield came
        server.shutdown(socket.SHUT_RDWR)
        thread.join(WITHIN_S)


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_broker_does_not_disturb_the_table(tmp_path: Path, kind: str) -> None:
    broker = Broker(tmp_path / "broker")
    with hostile(HOSTILE[kind], broker.port) as came, published(tmp_path, broker) as table:
        wait_until(lambda: bool(came))
        table.phone.set_up(min(RULESETS))
        assert table.app_state.table.snapshot().rev == 2
        wait_until(lambda: len(came) > 1)
        table.phone.say({"type": "Undone", "seq": 2})
        assert {one.who for one in table.app_state.table.snapshot().entries} == {""}


def correct(table: Table, times: int) -> None:
    """Enter so many corrections; each may be undone from the house."""
    table.phone.set_up(min(RULESETS))
    for stars in range(1, times + 1):
        number = {"seat": 0, "what": "stars", "value": stars % 9}
        table.phone.say({"type": "Corrected", "numbers": [number]})


def undone(table: Table) -> int:
    """Return how many entries of the log are the house's."""
    return sum(one.who == HOME for one in table.app_state.table.snapshot().entries)


def test_a_flood_of_presses_undoes_no_more_than_a_few(tmp_path: Path) -> None:
    broker = Broker(tmp_path / "broker")
    flood = CONNACK + message(Table.press, b"undo") * 5_000
    with published(tmp_path, broker) as table:
        correct(table, times=60)
        began = time.monotonic()
        with hostile(flood, broker.port) as came:
            wait_until(lambda: len(came) > 1 and undone(table) > 0)
            count = undone(table)
            assert count <= 1 + (time.monotonic() - began) / PRESSES_APART_S


def test_a_broker_that_hangs_delays_neither_a_command_nor_the_end(tmp_path: Path) -> None:
    broker = Broker(tmp_path / "broker")
    with socket.create_server(("127.0.0.1", broker.port)) as server:
        with published(tmp_path, broker) as table:
            sock, _ = server.accept()
            sock.sendall(CONNACK)  # and reads no more
            wait_until(lambda: "mqtt.connected" in table.reported)
            began = time.monotonic()
            correct(table, times=30)
            took, began = time.monotonic() - began, time.monotonic()
        ended = time.monotonic() - began
        sock.close()
    assert took < SENT_S / 10
    assert ended < SENT_S / 10


def test_a_long_message_that_the_broker_retains_does_not_come(
    tmp_path: Path, broker: Broker
) -> None:
    broker.retain("a/long", bytes(8_000_000))
    broker.retain("b/short", b"here")
    heard, came = list[str](), threading.Event()

    def hear(topic: str, _: bytes, __: bool) -> None:
        heard.append(topic)
        if topic.startswith("b"):
            came.set()

    address = Address("127.0.0.1", broker.port, tls=False)
    link = Link("window", address, ("a/#", "b/#"), hear, lambda: None, lambda *_, **__: None)
    link.start(1024)
    try:
        assert came.wait(WITHIN_S)
    finally:
        link.close()
    assert heard == ["b/short"]

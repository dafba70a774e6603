"""The line of `companion doctor` about MQTT: each way in which a broker may not be there."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from companion.cli.doctor import Diagnosis, Verdict, diagnose_mqtt, served_at, why_no_broker
from companion.mqtt.settings import read_settings
from companion.service.network.listening import Listening, remove_listening, write_listening
from tests.mqtt.broker import Broker
from tests.mqtt.test_brokers import (
    CONNACK,
    HOSTILE,
    UNCLOSED,
    collect_sockets,
    hostile,
    password,
    with_tls,
    with_user,
)
from tests.ports import free_port

ROOT = Path(__file__).parent.parent.parent.parent
PROGRAM = """
import sys
from pathlib import Path
from companion.cli import main
imported = list(main.commands.values())
from companion.cli.doctor import diagnose_mqtt, served_at
folder = Path(sys.argv[1])
found = diagnose_mqtt(folder, served_at(folder, None))
print(found.verdict, found.about)
print([name for name in sys.modules if name.startswith(("paho", "companion.mqtt"))])
"""
NAME = "Anastasia"
NOWHERE = Listening("127.0.0.1", 1)


def written(folder: Path, *lines: str) -> None:
    (folder / "mqtt.toml").write_text("\n".join((*lines, f'names = ["{NAME}"]')))


def found_in(folder: Path) -> Diagnosis:
    """Return the diagnosis; nothing private is in it."""
    found = diagnose_mqtt(folder, NOWHERE)
    assert found.about == "mqtt"
    assert (found.do == "") is (found.verdict is Verdict.OK)
    text = f"{found.found} {found.do}"
    assert "{" not in text
    for private in (NAME, "ann", "right", "wrong"):
        assert private not in text.split(str(folder))
    return found


def test_it_is_off_without_a_file_and_no_code_of_it_is_imported(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert ran.stdout == "ok mqtt\n[]\n"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A file of settings that is in no data folder."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    written(folder, f'broker = "mqtt://127.0.0.1:{free_port()}"')
    return folder / "mqtt.toml"


def test_the_file_that_a_running_service_was_given_is_looked_at(
    tmp_path: Path, elsewhere: Path
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    write_listening(data, Listening.of("127.0.0.1", 1, elsewhere))
    at = served_at(data, None)
    found = diagnose_mqtt(data, at)
    assert (found.about, found.verdict) == ("mqtt", Verdict.BAD)
    assert "does not let this table in: Connection refused" in found.found
    elsewhere.unlink()
    found = diagnose_mqtt(data, at)
    assert (found.about, found.verdict) == ("mqtt", Verdict.BAD)
    assert f"{elsewhere}" in found.found
    remove_listening(data)
    assert diagnose_mqtt(data, served_at(data, None)).verdict is Verdict.OK


def test_settings_that_are_wrong_are_named_in_the_words_of_the_service(tmp_path: Path) -> None:
    written(tmp_path, "broker = 1")
    found = found_in(tmp_path)
    assert found.verdict is Verdict.BAD
    assert "mqtt.toml cannot be used" in found.found
    written(tmp_path, 'broker = "mqtt://ann@127.0.0.1:1"', password(tmp_path, "right"))
    (tmp_path / "secret").chmod(0o644)
    found = found_in(tmp_path)
    assert "chmod 600" in found.found
    assert "restart the service" in found.do
    (tmp_path / "mqtt.toml").unlink()
    (tmp_path / "mqtt.toml").mkdir()
    assert "Is a directory" in found_in(tmp_path).found


def test_a_broker_that_is_not_there(tmp_path: Path) -> None:
    port = free_port()
    written(tmp_path, f'broker = "mqtt://127.0.0.1:{port}"')
    found = found_in(tmp_path)
    assert found.verdict is Verdict.BAD
    assert f"127.0.0.1:{port} does not let this table in: Connection refused" in found.found


def test_what_is_no_file_or_no_settings_ends_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "mqtt.toml"
    os.mkfifo(path)
    assert "not a regular file" in found_in(tmp_path).found
    path.unlink()
    path.symlink_to("/dev/zero")
    assert "not a regular file" in found_in(tmp_path).found
    path.unlink()
    path.write_text(f"broker = {'[' * 15_000}")
    assert "cannot be used" in found_in(tmp_path).found


@pytest.mark.parametrize("kind", ["hangs up", "speaks nonsense"])
def test_what_is_no_broker(tmp_path: Path, kind: str) -> None:
    port = free_port()
    written(tmp_path, f'broker = "mqtt://127.0.0.1:{port}"')
    with hostile(HOSTILE[kind].removeprefix(CONNACK), port):
        found = found_in(tmp_path)
    assert found.verdict is Verdict.BAD
    assert f"127.0.0.1:{port} does not let this table in" in found.found


@contextmanager
def holding() -> Iterator[int]:
    """Accept connections and say nothing; yield the port."""
    held: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    held.append(server.accept()[0])

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
    for sock in held:
        sock.close()


@UNCLOSED
@pytest.mark.parametrize("scheme", ["mqtt", "mqtts"])
def test_a_broker_that_says_nothing_is_given_up(tmp_path: Path, scheme: str) -> None:
    with holding() as port:
        written(tmp_path, f'broker = "{scheme}://127.0.0.1:{port}"')
        broker = read_settings(tmp_path / "mqtt.toml", tmp_path).broker
        assert "timed out" in why_no_broker(broker, patience_s=1)
    collect_sockets("broker")


@pytest.mark.broker
def test_a_broker_that_lets_the_table_in(tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    with Broker(tmp_path / "broker").running() as broker:
        written(tmp_path, f'broker = "mqtt://127.0.0.1:{broker.port}"')
        found = found_in(tmp_path)
    assert found.verdict is Verdict.OK
    assert "lets this table in" in found.found


@pytest.mark.broker
@pytest.mark.parametrize(("word", "verdict"), [("right", Verdict.OK), ("wrong", Verdict.BAD)])
def test_a_password_is_tried(tmp_path: Path, word: str, verdict: Verdict) -> None:
    (tmp_path / "broker").mkdir()
    with with_user(tmp_path / "broker").running() as broker:
        address = f'broker = "mqtt://ann@127.0.0.1:{broker.port}"'
        written(tmp_path, address, password(tmp_path, word))
        found = found_in(tmp_path)
    assert found.verdict is verdict
    assert ("Not authorized" in found.found) is (word == "wrong")


@UNCLOSED
@pytest.mark.broker
@pytest.mark.parametrize("trusted", [True, False])
def test_the_certificate_is_checked(tmp_path: Path, *, trusted: bool) -> None:
    with with_tls(tmp_path / "broker", "localhost").running() as broker:
        trust = ('ca_file = "broker/cert.pem"',) if trusted else ()
        written(tmp_path, f'broker = "mqtts://localhost:{broker.port}"', *trust)
        found = found_in(tmp_path)
    assert found.verdict is (Verdict.OK if trusted else Verdict.BAD)
    assert ("self-signed certificate" in found.found) is not trusted
    collect_sockets("broker")

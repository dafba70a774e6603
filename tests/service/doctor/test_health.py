"""`companion doctor` finds the service wherever its options and settings have it listen."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.cli.doctor import diagnose_service, served_at, wait_for_health
from companion.service.machine.joining import LISTENING, Listening, read_listening, write_listening
from companion.service.settings import Settings, StoredSettings, write_settings
from tests.ports import free_port
from tests.service.machine.supervised import ROOT, SERVE, supervised
from tests.service.served import serving
from tests.waiting import WITHIN_S

HOSTS = ["127.0.0.2", "0.0.0.0", "::1", "::", "localhost"]


def health(data: Path, *options: str) -> tuple[int, str]:
    """Return exit status and line of the check that an update and a container make."""
    asked = CliRunner().invoke(main, ["doctor", "--health", "--data", str(data), *options])
    return asked.exit_code, asked.stdout


@pytest.mark.parametrize("host", HOSTS)
def test_the_host_of_the_settings_is_asked(tmp_path: Path, host: str) -> None:
    with serving(Settings(data=tmp_path, host=host, port=0)) as served:
        write_settings(tmp_path, StoredSettings(host=host, port=served.port))
        assert health(tmp_path)[0] == 0
        assert health(tmp_path, "--port", str(served.port))[0] == 0


def test_the_file_of_mqtt_that_it_was_given_is_written_down(tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port()
    file = tmp_path / "at home" / "mqtt.toml"
    file.parent.mkdir()
    file.write_text(f'broker = "mqtt://127.0.0.1:{port}"')
    given = ("--host", "127.0.0.1", "--mqtt", os.path.relpath(file, ROOT))
    with supervised(data, f"{tmp_path}-n", *given):
        running = read_listening(data)
        assert running is not None
        assert running.settings_of_mqtt is not None
        assert running.settings_of_mqtt.samefile(file)


@pytest.mark.parametrize("host", ["127.0.0.2", "::"])
def test_options_of_the_unit_count_before_the_settings(tmp_path: Path, host: str) -> None:
    write_settings(tmp_path, StoredSettings(host="127.0.0.3", port=1))
    with supervised(tmp_path, f"{tmp_path}-n", "--host", host, "--port", "0") as running:
        port = read_listening(tmp_path).port  # type: ignore[union-attr]
        assert running.info["url"].endswith(f":{port}")
        status, line = health(tmp_path)
        assert (status, f"port {port}." in line) == (0, True)
        running.end(signal.SIGTERM)
    assert not (tmp_path / LISTENING).exists()


def test_a_service_that_was_killed_is_looked_for_where_the_next_one_listens(tmp_path: Path) -> None:
    with supervised(tmp_path, f"{tmp_path}-first", "--host", "127.0.0.2") as running:
        running.end(signal.SIGKILL)
    left = read_listening(tmp_path)
    assert left is not None
    with supervised(tmp_path, f"{tmp_path}-then", "--host", "127.0.0.4"):
        assert read_listening(tmp_path) != left
        assert health(tmp_path)[0] == 0


def test_a_second_service_does_not_write_over_the_first_ones_file(tmp_path: Path) -> None:
    with supervised(tmp_path, f"{tmp_path}-n"):
        before = read_listening(tmp_path)
        again = ["serve", "--data", str(tmp_path), "--host", "127.0.0.2", "--port", "0"]
        refused = subprocess.run(
            [sys.executable, "-c", SERVE, *again],
            capture_output=True,
            timeout=WITHIN_S,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert refused.returncode == 2
        assert read_listening(tmp_path) == before


def test_it_is_looked_up_again_until_it_answers(tmp_path: Path) -> None:
    """A service that starts writes down where it listens: here, once it was asked in vain."""
    with (
        serving(Settings(data=tmp_path, host="127.0.0.2", port=0)) as served,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):

        def move() -> None:
            asking, _ = other.accept()
            write_listening(tmp_path, Listening("127.0.0.2", served.port))
            asking.close()

        moving = threading.Thread(target=move)
        moving.start()
        write_listening(tmp_path, Listening("127.0.0.1", other.getsockname()[1]))
        assert wait_for_health(tmp_path, None, WITHIN_S).verdict == "ok"
        moving.join()


def test_a_service_that_is_off_leaves_its_port_free(tmp_path: Path) -> None:
    port = free_port()
    write_settings(tmp_path, StoredSettings(host="127.0.0.2", port=port))
    at = served_at(tmp_path, None)
    with serving(Settings(data=tmp_path, host="127.0.0.2", port=port)):
        assert "answers" in diagnose_service(tmp_path, at).found
    assert f"port {port} is free" in diagnose_service(tmp_path, at).found
    write_listening(tmp_path, Listening("127.0.0.5", 7))  # options of the unit
    assert served_at(tmp_path, None).host == "127.0.0.5"


def test_another_program_at_that_address_is_named(tmp_path: Path) -> None:
    with serving(Settings(data=tmp_path / "other", host="127.0.0.2", port=0)) as other:
        taken = Listening("127.0.0.2", other.port)
        assert diagnose_service(tmp_path, taken).verdict == "ok"  # it is one of ours
        other.server.stop()
        other.thread.join()
    assert "is free" in diagnose_service(tmp_path, taken).found


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "8080",
        '{"host":"","port":1}',
        '{"host":"a","port":0}',
        '{"host":"a","port":1,"mqtt":7}',
        " " * 40_000 + '{"host":"a","port":1}',
        '{"host":"\xff","port":1}',
        f'{{"host":"a","port":1,"x":{"[" * 15_000}',
    ],
)
def test_a_file_that_is_damaged_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / LISTENING).write_bytes(content.encode("latin-1"))
    assert read_listening(tmp_path) is None
    assert served_at(tmp_path, None) == Listening("0.0.0.0", 8080)


def test_a_pipe_in_its_place_counts_as_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LISTENING)
    assert read_listening(tmp_path) is None


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", "\x9b", os.fsdecode(b"\xff")])
def test_a_path_that_no_terminal_should_show_is_left_out(tmp_path: Path, name: str) -> None:
    told = Listening.of("127.0.0.1", 1, tmp_path / name)
    assert told == Listening("127.0.0.1", 1)
    write_listening(tmp_path, told)
    assert read_listening(tmp_path) == told


def test_a_host_that_is_no_name_answers_nothing(tmp_path: Path) -> None:
    write_settings(tmp_path, StoredSettings(host="a b" + "c" * 200, port=1))
    assert "is free" in diagnose_service(tmp_path, served_at(tmp_path, None)).found


def test_the_network_line_has_the_address_that_phones_are_given(tmp_path: Path) -> None:
    write_settings(tmp_path, StoredSettings(host="127.0.0.2", port=1))
    command = ["doctor", "--json", "--data", str(tmp_path), "--camera", "none"]
    assert "http://127.0.0.2:1 " in network(command)
    write_settings(tmp_path, StoredSettings(advertise="http://10.1.2.3:8000", port=1))
    assert "http://10.1.2.3:8000 " in network(command)


def network(command: list[str]) -> str:
    lines = [json.loads(line) for line in CliRunner().invoke(main, command).stdout.splitlines()]
    (found,) = (line["found"] for line in lines if line["about"] == "network")
    return str(found)

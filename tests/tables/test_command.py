"""`companion serve` where several tables are named: what it prints, how it starts and ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.cli.tables.serving import advertise_of, command_of
from companion.service.settings import Settings
from companion.tables import TableSettings
from companion.tables.kept import Joining
from tests.ports import free_port
from tests.tables.running import Json, Person, fetch, name_tables
from tests.waiting import WITHIN_S, wait_until

SERVE = [sys.executable, "-c", "from companion.cli import main; main()", "serve"]
SEATS = [{"player": name, "monster": name} for name in ("inkwell", "drizzla")]


@contextmanager
def served(root: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """Run the command until the block ends, at the latest."""
    options = ["--host", "127.0.0.1", "--port", str(port), "--data", str(root)]
    with subprocess.Popen(
        [*SERVE, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as keeper:
        try:
            yield keeper
        finally:
            keeper.kill()


def opened(keeper: subprocess.Popen[str], count: int) -> dict[str, Joining]:
    """How phones join each table, as the command prints it."""
    assert keeper.stdout is not None
    lines = [json.loads(keeper.stdout.readline()) for _ in range(count)]
    return {line.pop("table"): msgspec.convert(line, Joining) for line in lines}


def set_table(joining: Joining) -> Person:
    """Join a table as its host, and set it."""
    host = Person()
    host.join(joining)
    table = {"type": "TableSet", "game": "tokyo", "edition": "first", "seats": SEATS}
    host.say(joining.url, "set-the-table", table)
    return host


def gone(url: str) -> bool:
    """Whether nobody answers at a table's address any more."""
    try:
        fetch(int(url.rpartition(":")[2]), "/icon.svg")
    except OSError:
        return True
    return False


def test_tables_end_with_their_keeper_and_come_back_with_it(tmp_path: Path) -> None:
    root, port = tmp_path / "data", free_port()
    name_tables(root, window="none", bar="none")
    with served(root, port) as keeper:
        tables = opened(keeper, 2)
        hosts = {name: set_table(joining) for name, joining in tables.items()}
        keeper.kill()
        keeper.wait(WITHIN_S)
        wait_until(lambda: all(gone(joining.url) for joining in tables.values()))
    with served(root, port) as keeper:
        again = opened(keeper, 2)
        for name, joining in again.items():
            assert joining.url == tables[name].url
            assert joining.join != tables[name].join
            update = hosts[name].update(joining.url)
            assert (update.view.rev, update.you.role) == (1, "host")
            shown = CliRunner().invoke(main, ["tables", "show", name, "--data", str(root)])
            assert joining.join in shown.output
        keeper.send_signal(signal.SIGTERM)
        assert keeper.wait(WITHIN_S) == 0
        assert all(gone(joining.url) for joining in again.values())
    shown = CliRunner().invoke(main, ["tables", "show", "bar", "--data", str(root)])
    assert (shown.exit_code, "/j#" in shown.output) == (1, False)


def refused_to_serve(*options: str) -> str:
    """What `serve` says before it ends, exit status 2. In a process of its own: in this one its
    handlers of signals and of failed threads would stay.
    """
    done = subprocess.run(
        [*SERVE, *options], capture_output=True, text=True, timeout=WITHIN_S, check=False
    )
    assert done.returncode == 2, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("option", "value"), [("--camera", "0"), ("--game", "tokyo"), ("--profile", "p.json")]
)
def test_what_each_table_has_for_itself_is_refused(tmp_path: Path, option: str, value: str) -> None:
    name_tables(tmp_path, window="none")
    (tmp_path / "p.json").write_text("{}")
    value = str(tmp_path / value) if option == "--profile" else value
    said = refused_to_serve("--data", str(tmp_path), option, value)
    assert said.startswith(f"{option} is each table’s own")


def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "tables.json").write_text('{"version": 1, "tables": [{"name": "Ü", "port": 1}]}')
    said = refused_to_serve("--data", str(tmp_path), "--host", "127.0.0.1", "--port", "0")
    assert len(said.splitlines()) == 1
    assert "tables[0].name" in said


def machine(**given: str) -> Settings:
    return Settings(Path("/data"), host="::", port=8080, names=("pi.lan", "box"), **given)  # type: ignore[arg-type]


def test_the_command_of_a_table() -> None:
    table = TableSettings(name="bar", port=8082, camera="csi", game="tokyo", data="/else/where")
    words = list(command_of(machine(), ("--safe",), table, "none"))
    options = words[words.index("serve") + 1 :]
    assert options == [
        *("--table", "bar", "--title", "bar", "--machine", "/data", "--host", "::"),
        *("--port", "8082", "--data", "/else/where", "--camera", "none", "--game", "tokyo"),
        *("--name", "pi.lan", "--name", "box", "--safe"),
    ]


def test_the_address_of_a_camera_is_no_word_of_a_command_line() -> None:
    table = TableSettings(name="bar", port=8082, camera="rtsp://ana:secret@10.0.0.9/a")
    words = command_of(machine(), (), table, table.camera)
    assert "--camera" not in words
    assert not [word for word in words if "secret" in word]


@pytest.mark.parametrize(
    ("box", "own", "expected"),
    [
        ("", None, None),
        ("http://192.168.1.20:8000", None, "http://192.168.1.20:8082"),
        ("https://[fd00::1]", None, "https://[fd00::1]:8082"),
        ("http://table.example", "https://bar.example", "https://bar.example"),
        ("", "https://bar.example", "https://bar.example"),
    ],
)
def test_the_address_that_a_tables_phones_are_given(
    box: str, own: str | None, expected: str | None
) -> None:
    table = TableSettings(name="bar", port=8082, advertise=own)
    assert advertise_of(machine(advertise=box), table) == expected


def test_joining_is_read_as_a_process_prints_it() -> None:
    line: Json = {"url": "u", "join": "j", "code": "c", "addresses": ["u"]}
    assert msgspec.convert(line, Joining) == Joining("u", "j", "c", ("u",))

"""The file that names the tables, and the commands that write it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.engine import RULESETS
from companion.service.machine.settings_file import StoredSettings, write_settings
from companion.service.network.listening import Listening, write_listening
from companion.tables import TablesError, folder_of, has_tables, read_tables
from companion.tables.settings import FILE_NAME, MOST_BYTES, MOST_TABLES
from tests.table.test_table import started

CAMERA, OTHER = "/dev/null", "/dev/zero"


def run(root: Path, *words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--data", str(root)])


def done(root: Path, *words: str) -> str:
    result = run(root, *words)
    assert result.exit_code == 0, result.output
    return result.output


def refused(root: Path, *words: str) -> str:
    """The one line of a refusal; the file stays as it was."""
    before = content(root)
    result = run(root, *words)
    assert result.exit_code == 2, result.output
    assert content(root) == before
    (line,) = result.output.splitlines()
    return line


def content(root: Path) -> bytes | None:
    path = root / FILE_NAME
    return path.read_bytes() if path.exists() else None


def written(root: Path, *tables: dict[str, Any], version: int = 1) -> Path:
    root.mkdir(exist_ok=True)
    (root / FILE_NAME).write_text(json.dumps({"version": version, "tables": tables}))
    return root


def test_a_table_is_added_listed_closed_and_opened(tmp_path: Path) -> None:
    assert not has_tables(tmp_path)
    done(tmp_path, "tables", "add", "window", "--camera", CAMERA)
    done(tmp_path, "tables", "add", "bar", "--title", "Við barinn", "--port", "9001")
    done(tmp_path, "tables", "add", "third")
    listed = [json.loads(one) for one in done(tmp_path, "tables", "list", "--json").splitlines()]
    assert [one["port"] for one in listed] == [8081, 9001, 8082]
    assert [one["title"] for one in listed] == ["window", "Við barinn", "third"]
    assert listed[0]["data"] == str(folder_of(tmp_path, "window")) == f"{tmp_path}/tables/window"
    done(tmp_path, "tables", "close", "bar")
    assert [one.open for one in read_tables(tmp_path)] == [True, False, True]
    assert "closed" in done(tmp_path, "tables", "list").splitlines()[1]
    done(tmp_path, "tables", "open", "bar")
    assert all(one.open for one in read_tables(tmp_path))


def test_the_password_of_a_camera_is_kept_from_others(tmp_path: Path) -> None:
    done(tmp_path, "tables", "add", "bar", "--camera", "http://ana:secret@10.0.0.9/a")
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert "secret" not in done(tmp_path, "tables", "list")
    listed = done(tmp_path, "tables", "list", "--json")
    assert json.loads(listed)["camera"] == "http://10.0.0.9/a"
    assert read_tables(tmp_path)[0].camera == "http://ana:secret@10.0.0.9/a"


def test_a_port_that_a_closed_table_had_is_not_given_away(tmp_path: Path) -> None:
    done(tmp_path, "tables", "add", "window")
    done(tmp_path, "tables", "close", "window")
    done(tmp_path, "tables", "add", "bar")
    assert [one.port for one in read_tables(tmp_path)] == [8081, 8082]


@pytest.mark.parametrize("name", ["", "-a", "Bar", "a b", "a/b", "..", "bör", "a" * 25, "a\n"])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    words = ["tables", "add", "--data", str(tmp_path), "--", name]
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, content(tmp_path)) == (2, None)
    (line,) = result.output.splitlines()
    assert line.startswith(f"“{name.strip()}")


def test_what_another_table_has_is_refused(tmp_path: Path) -> None:
    done(tmp_path, "tables", "add", "window", "--camera", CAMERA)
    assert "companion tables open window" in refused(tmp_path, "tables", "add", "window")
    assert "port 8081" in refused(tmp_path, "tables", "add", "bar", "--port", "8081")
    folder = str(tmp_path / "tables" / ".." / "tables" / "window")
    assert "--folder" in refused(tmp_path, "tables", "add", "bar", "--folder", folder)
    link = tmp_path / "usb-B-video-index0"
    link.symlink_to(CAMERA)
    for camera in (CAMERA, str(link)):
        line = refused(tmp_path, "tables", "add", "bar", "--camera", camera)
        assert camera in line
        assert "table window reads it" in line


def test_a_camera_is_free_once_its_table_is_closed_and_then_the_others(tmp_path: Path) -> None:
    done(tmp_path, "tables", "add", "window", "--camera", CAMERA)
    done(tmp_path, "tables", "close", "window")
    done(tmp_path, "tables", "add", "bar", "--camera", CAMERA)
    assert "table bar reads it" in refused(tmp_path, "tables", "open", "window")
    done(tmp_path, "tables", "close", "bar")
    done(tmp_path, "tables", "open", "window")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--camera", "/dev/video77"),
        ("--camera", "/nowhere.mp4"),
        ("--port", "0"),
        ("--port", "70000"),
        ("--title", "x" * 41),
        ("--title", "a\u202eb"),
        ("--advertise", "table.example/path"),
        ("--game", "chess"),
    ],
)
def test_a_wrong_option_is_refused(tmp_path: Path, option: str, value: str) -> None:
    refused(tmp_path, "tables", "add", "bar", option, value)


def test_there_are_at_most_so_many(tmp_path: Path) -> None:
    for number in range(MOST_TABLES):
        done(tmp_path, "tables", "add", f"t{number}")
    assert str(MOST_TABLES) in refused(tmp_path, "tables", "add", "more")


GOOD = {"name": "window", "port": 8081}


@pytest.mark.parametrize(
    "tables",
    [
        [GOOD, GOOD],
        [GOOD, {**GOOD, "name": "bar"}],
        [GOOD, {"name": "bar", "port": 8082, "data": "tables/window"}],
        [{**GOOD, "name": "../window"}],
        [{**GOOD, "port": 0}],
        [{**GOOD, "port": True}],
        [{**GOOD, "colour": "red"}],
        [{**GOOD, "title": "x" * 41}],
        [{**GOOD, "camera": "/dev/video0\0"}],
        [{**GOOD, "data": "win\0dow"}],
        [{**GOOD, "profile": "a\nb"}],
        [{**GOOD, "advertise": "nonsense/"}],
        [{"name": f"t{n}", "port": 9000 + n} for n in range(MOST_TABLES + 1)],
        ["window"],
        [{"name": "window"}],
    ],
)
def test_a_wrong_file_is_refused_by_all_commands(tmp_path: Path, tables: list[Any]) -> None:
    root = written(tmp_path / "data", *tables)
    with pytest.raises(TablesError):
        read_tables(root)
    for words in (["tables", "list"], ["tables", "add", "new"], ["backup", "x", "--at", "window"]):
        refused(root, *words)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "[" * 5000, '{"version":2,"tables":[]}', " " * (MOST_BYTES + 1), "\0"]
)
def test_what_is_no_file_of_tables_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    assert FILE_NAME in refused(tmp_path, "tables", "list")


def test_a_camera_that_is_gone_refuses_no_file(tmp_path: Path) -> None:
    """Else one camera that is unplugged would close all tables."""
    cameras = ("/dev/video77", "csi:3", "csi:front", "rtsp://[abc", "/nowhere.mp4", CAMERA, CAMERA)
    tables = [
        {"name": f"t{n}", "port": 9000 + n, "camera": camera} for n, camera in enumerate(cameras)
    ]
    assert len(read_tables(written(tmp_path / "data", *tables))) == len(cameras)


def test_a_command_is_about_the_table_that_it_names(tmp_path: Path) -> None:
    for name in ("window", "bar"):
        done(tmp_path, "tables", "add", name)
        started(folder_of(tmp_path, name), min(RULESETS)).close()
    words = ("backup", str(tmp_path / "bar.zip"))
    assert "window, bar" in refused(tmp_path, *words)
    assert "window, bar" in refused(tmp_path, *words, "--at", "baz")
    assert str(tmp_path / "bar.zip") in done(tmp_path, *words, "--at", "bar")
    for command in ("log check", "statistics", "export g1"):
        done(tmp_path, *command.split(), "--at", "window")
        refused(tmp_path, *command.split())


def test_a_name_where_there_is_one_table_alone(tmp_path: Path) -> None:
    started(tmp_path, min(RULESETS)).close()
    assert "bar" in refused(tmp_path, "statistics", "--at", "bar")
    done(tmp_path, "statistics")


def test_the_games_from_before_are_named_and_can_be_kept(tmp_path: Path) -> None:
    started(tmp_path, min(RULESETS)).close()
    assert "--folder" in done(tmp_path, "tables", "add", "window")
    assert "--folder" not in done(tmp_path, "tables", "add", "first", "--folder", str(tmp_path))
    assert folder_of(tmp_path, "first") == tmp_path
    done(tmp_path, "statistics")
    done(tmp_path, "statistics", "--at", "first")


def test_a_new_table_leaves_the_kept_port_to_the_front_page(tmp_path: Path) -> None:
    write_settings(tmp_path, StoredSettings(port=8081))
    done(tmp_path, "tables", "add", "window")
    write_listening(tmp_path, Listening("0.0.0.0", 8083))
    done(tmp_path, "tables", "add", "bar")
    done(tmp_path, "tables", "add", "third")
    (tmp_path / "listening").unlink()
    (tmp_path / "settings.toml").write_text("port = wrong")
    done(tmp_path, "tables", "add", "fourth")
    assert [one.port for one in read_tables(tmp_path)] == [8082, 8081, 8084, 8083]

"""`companion read` and `companion watch`, called as commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.engine import RULESETS
from companion.vision.pictures import jpeg
from tests.vision.fakes import grain, tray
from tests.vision.images import flat_png, scan_bomb
from tests.vision.sources.test_kinds import served

GAME = next(iter(RULESETS))


def run(command: str, *words: str) -> Result:
    return CliRunner().invoke(main, [command, *words])


@pytest.fixture
def still(tmp_path: Path) -> str:
    path = tmp_path / "tray.jpg"
    path.write_bytes(jpeg(tray()))
    return str(path)


def test_read_prints_one_object_a_picture(still: str) -> None:
    result = run("read", still, still, "--game", GAME, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["image"] for row in rows] == [still, still]
    assert rows[0] == {
        "image": still,
        "game": GAME,
        "sure": False,
        "problems": ["count"],
        "dice": [],
    }


def test_read_is_readable_by_people_too(still: str) -> None:
    result = run("read", still, "--game", GAME, "--expect", "3")
    assert result.stdout == f"{still}: - (not sure) The number of dice is not the expected one.\n"


@pytest.mark.parametrize("content", [b"", b"no picture", b"\xff\xd8\xff\xe0torn"])
def test_an_unreadable_picture_is_one_line_and_exit_2(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tray.jpg"
    path.write_bytes(content)
    refused("read", str(path), "--game", GAME, names=str(path))


@pytest.mark.parametrize("source", ["17", "/dev/video77", "no/such/film.mp4"])
def test_an_unknown_source_is_one_line_and_exit_2(source: str) -> None:
    refused("watch", source, "--game", GAME, names=source)


def test_no_camera_is_nothing_to_watch() -> None:
    assert run("watch", "none", "--game", GAME).exit_code == 2


def test_a_file_that_is_no_film_is_one_line_and_exit_2(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    path.write_bytes(b"no film")
    refused("watch", str(path), "--game", GAME, "--fast", names=str(path))


def test_an_empty_tray_in_a_folder_of_stills_is_no_reading(still: str) -> None:
    result = run("watch", str(Path(still).parent), "--game", GAME, "--json", "--fast")
    assert (result.exit_code, result.stdout) == (0, "")


def test_a_folder_with_a_bad_still_is_watched_and_the_still_named_in_one_line(still: str) -> None:
    folder = Path(still).parent
    (folder / "a.png").write_bytes(flat_png(40_000, 8))
    (folder / "._tray.jpg").write_bytes(b"\0\5\x16\7")
    result = run("watch", str(folder), "--game", GAME, "--fast")
    assert result.exit_code == 0
    (line,) = [line for line in result.stderr.splitlines() if "a.png" in line]
    assert line.startswith(f"Cannot read {folder / 'a.png'}. The picture is 40000 × 8 pixels.")


@pytest.mark.parametrize("encoded", [flat_png(40_000, 8), scan_bomb(4000, 4000, 999)])
def test_a_picture_that_would_end_the_reader_is_one_line_and_exit_2(
    tmp_path: Path, encoded: bytes
) -> None:
    path = tmp_path / "bomb.jpg"
    path.write_bytes(encoded)
    refused("read", str(path), "--game", GAME, names="bomb.jpg")


def test_the_end_of_a_recording_is_said_and_no_failure(still: str) -> None:
    result = run("watch", str(Path(still).parent), "--game", GAME, "--fast")
    assert (result.exit_code, result.stderr) == (0, "The recording has ended.\n")


def test_a_lost_camera_ends_the_command_without_a_request_to_wait() -> None:
    with served("multipart/x-mixed-replace", [jpeg(grain(tray(), n)) for n in range(3)]) as at:
        result = run("watch", f"http://someone:secret@{at}", "--game", GAME)
    assert result.exit_code == 1
    assert "watching has ended" in result.stderr
    assert "tried" not in result.stderr
    assert "secret" not in result.output


def refused(*words: str, names: str) -> None:
    """Check that the command ends with 2 and one line that names the reason."""
    result = run(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert names in result.stderr

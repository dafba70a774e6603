"""Whole files: what commands print and phones download of two kept games, and the QR code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import cv2
import msgspec
import numpy as np
import pytest

from companion.records import APP_LINK, LINK
from companion.service import requests
from companion.service.app import create_app
from companion.service.settings import Settings
from tests.records.evenings import FILES, GOLDEN, LOGS, pretty, printed, stored
from tests.service.phone import Phone, app_state_of
from tests.service.test_archive import counted

MODULE = re.compile(r"M(\d+),(\d+)H(\d+)V(\d+)H\d+z")
PIXELS = 4


def golden(name: str) -> str:
    return (GOLDEN / name).read_bytes().decode()


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[Phone]:
    """The host's phone at a service whose log holds both games."""
    app = create_app(Settings(data=stored(tmp_path)))
    phone = Phone(app)
    phone.join()
    yield phone
    app_state_of(app).close()


@pytest.mark.parametrize("name", FILES)
def test_commands_print_the_kept_files(tmp_path: Path, name: str) -> None:
    assert pretty(name, printed(stored(tmp_path), *FILES[name])) == golden(name)


@pytest.mark.parametrize("name", LOGS)
def test_rows_are_exported_as_they_were_written(tmp_path: Path, name: str) -> None:
    folder = stored(tmp_path)
    assert printed(folder, "export", Path(name).stem, "--as", "jsonl") == golden(name)


@pytest.mark.parametrize("game", ["g1", "g2"])
def test_a_phone_downloads_the_same_files(phone: Phone, game: str) -> None:
    for path, name, kind in (
        ("scores.csv", f"{game}.csv", "text/csv; charset=utf-8"),
        ("log.jsonl", f"{game}.jsonl", "application/jsonl; charset=utf-8"),
    ):
        answer = phone.get(f"/api/games/{game}/{path}")
        assert answer.data.decode() == golden(name)
        assert answer.headers["Content-Type"] == kind
    play = played(phone, game)
    assert play_in(play.link, LINK) == json.loads(golden(f"{game}.bgstats.json"))
    assert play_in(play.app, APP_LINK) == play_in(play.link, LINK)


def test_all_scores_are_those_of_each_game_under_one_head(phone: Phone) -> None:
    counted(phone)
    head, *first = golden("g1.csv").splitlines(keepends=True)
    second = golden("g2.csv").splitlines(keepends=True)[1:]
    assert phone.get("/api/scores.csv").data.decode() == "".join([head, *first, *second])


def test_a_phone_gets_the_play_in_its_own_words(phone: Phone) -> None:
    link = msgspec.json.decode(
        phone.get("/api/games/g1/bgstats?lang=is").data, type=requests.PlayAnswer
    ).link
    kept = json.loads(golden("g1.bgstats.json"))
    play = play_in(link, LINK)
    assert play["players"] != kept["players"]
    for mine, one in zip(play["players"], kept["players"], strict=True):
        assert {**mine, "role": ""} == {**one, "role": ""}
    unknown = phone.get("/api/games/g1/bgstats?lang=../../x").data
    assert unknown == phone.get("/api/games/g1/bgstats").data


@pytest.mark.parametrize("game", ["g1", "g2"])
def test_a_camera_reads_the_play_from_the_phones_qr_code(phone: Phone, game: str) -> None:
    svg = phone.get(f"/api/games/{game}/bgstats.svg").text
    read, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(drawn(svg))
    assert read == played(phone, game).link
    assert play_in(read, LINK) == json.loads(golden(f"{game}.bgstats.json"))


def played(phone: Phone, game: str) -> requests.PlayAnswer:
    return msgspec.json.decode(
        phone.get(f"/api/games/{game}/bgstats").data, type=requests.PlayAnswer
    )


def play_in(link: str, start: str) -> dict[str, Any]:
    assert link.startswith(start)
    play: dict[str, Any] = json.loads(parse_qs(urlsplit(link).query)["data"][0])
    return play


def drawn(svg: str) -> cv2.typing.MatLike:
    """Return the picture of a QR code that is drawn as one path of squares."""
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    assert size is not None
    modules = np.full((int(size[2]), int(size[1])), 255, np.uint8)
    for left, top, right, bottom in (map(int, one) for one in MODULE.findall(svg)):
        modules[top:bottom, left:right] = 0
    bordered = np.pad(modules, 4, constant_values=255)
    return np.kron(bordered, np.ones((PIXELS, PIXELS), np.uint8))

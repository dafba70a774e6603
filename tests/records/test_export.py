"""`companion export` and what phones download: rows, scores and the play for BG Stats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import cv2
import msgspec
import numpy as np
import pytest
import qrcode
from msgspec.structs import replace

from companion.records import (
    APP_LINK,
    LINK,
    GameResult,
    GameTally,
    PlayerResult,
    SeatTally,
    play_link,
    play_of,
    score_rows,
    statistics,
)
from companion.records.results import LONGEST, parse_time
from companion.service import requests
from companion.service.app import create_app
from companion.service.settings import Settings
from tests.records.evenings import FILES, GOLDEN, pretty, printed, stored, summed_up
from tests.service.phone import Phone, app_state_of
from tests.service.test_archive import counted

BEGAN = datetime(2026, 11, 27, 19, 30, tzinfo=UTC)
ANA = PlayerResult(
    seat=0, player="Ana", monster="puffin_rex", rank=1, won=True, first=False,
    health=4, stars=20, energy=3,
)  # fmt: skip
BEN = PlayerResult(
    seat=1, player="", monster="inkwell", rank=2, won=False, first=True,
    health=0, stars=7, energy=0, died_turn=11,
)  # fmt: skip
GAME = GameResult(
    table="g3", game="tokyo", edition="2016", house=("no_bay",), turns=17, players=(ANA, BEN),
    reason="stars", began=BEGAN, ended=BEGAN.replace(hour=20, minute=12),
)  # fmt: skip
NAMES = {"game.tokyo": "King of Tokyo", "monster.puffin_rex": "Puffin", "monster.inkwell": "Ink"}


def test_a_play_has_what_bg_stats_asks_for() -> None:
    made = play_of(GAME, NAMES.__getitem__)
    assert made is not None
    assert json.loads(parse_qs(urlsplit(play_link(made)).query)["data"][0]) == {
        "sourceName": "Monster Table",
        "sourcePlayId": "g3-20261127T193000",
        "playDate": "2026-11-27 20:12:00",
        "durationMin": 42,
        "board": "2016 no_bay",
        "game": {
            "name": "King of Tokyo", "sourceGameId": "tokyo", "bggId": 70323,
            "highestWins": True,
        },
        "players": [
            {
                "name": "Ana", "sourcePlayerId": "24d4b96f", "startPlayer": False, "rank": 1,
                "role": "Puffin", "score": 20, "winner": True,
            },
            {
                "name": "Ink", "sourcePlayerId": "5819f51d", "startPlayer": True, "rank": 2,
                "role": "Ink", "score": 7, "winner": False,
            },
        ],
    }  # fmt: skip


def test_a_game_of_another_package_has_no_number_of_boardgamegeek() -> None:
    made = play_of(replace(GAME, game="lantern-fair"), str)
    assert made is not None
    assert "bggId" not in parse_qs(urlsplit(play_link(made)).query)["data"][0]


def test_a_camera_reads_the_play_of_six_from_a_qr_code() -> None:
    long = [replace(ANA, seat=n, player="Guðrún Þórdís " + "æ" * 9 + str(n)) for n in range(6)]
    made = play_of(replace(GAME, players=tuple(long)), NAMES.__getitem__)
    assert made is not None
    link = play_link(made, APP_LINK)
    code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_L, border=4)
    code.add_data(link)
    code.make()
    modules = np.where(np.array(code.get_matrix()), 0, 255).astype(np.uint8)
    picture = cv2.resize(modules, None, fx=6, fy=6, interpolation=cv2.INTER_NEAREST)
    read, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(picture)
    assert read == link
    assert len(json.loads(parse_qs(urlsplit(read).query)["data"][0])["players"]) == 6


@pytest.mark.parametrize("minutes", [-1, LONGEST + 1])
def test_a_clock_that_was_set_meanwhile_gives_no_duration(minutes: int) -> None:
    ended = datetime.fromtimestamp(BEGAN.timestamp() + 60 * minutes, UTC)
    made = play_of(replace(GAME, ended=ended), NAMES.__getitem__)
    assert made is not None
    assert "durationMin" not in parse_qs(urlsplit(play_link(made)).query)["data"][0]


def test_without_a_time_there_is_no_play(tmp_path: Path) -> None:
    assert play_of(replace(GAME, ended=None), NAMES.__getitem__) is None
    assert parse_time("no time") is None
    assert parse_time("0001-01-01T00:00:00+05:00") is None
    assert parse_time("2026-11-27T21:30:00+01:00") == BEGAN.replace(hour=20)


def test_a_game_that_goes_on_is_no_play_yet() -> None:
    assert play_of(replace(GAME, reason=None), NAMES.__getitem__) is None


def test_seats_that_the_log_has_lost_are_players_by_number() -> None:
    lost = replace(GAME, players=(replace(ANA, player="", monster=""), replace(BEN, monster="")))
    made = play_of(lost, str)
    assert made is not None
    players = made["players"]
    assert [one["name"] for one in players] == ["Player 1", "Player 2"]
    assert players[0]["sourcePlayerId"] != players[1]["sourcePlayerId"]
    assert statistics([GameTally(lost, (SeatTally(seat=0), SeatTally(seat=1)))]).monsters == ()


def test_a_name_is_no_formula_in_a_spreadsheet() -> None:
    named = replace(GAME, players=(replace(ANA, player="=1+1"),))
    head, row = score_rows([named])
    assert dict(zip(head, row, strict=True))["player"] == "'=1+1"


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


def test_the_statistics_of_two_evenings_are_as_they_were(tmp_path: Path) -> None:
    name = "statistics.json"
    assert pretty(name, summed_up(stored(tmp_path))) == golden(name)


@pytest.mark.parametrize("game", ["g1", "g2"])
def test_a_phone_downloads_the_same_files(phone: Phone, game: str) -> None:
    for path, name, kind in (
        ("scores.csv", f"{game}.csv", "text/csv; charset=utf-8"),
        ("log.jsonl", f"{game}.jsonl", "application/jsonl; charset=utf-8"),
    ):
        answer = phone.get(f"/api/games/{game}/{path}")
        assert answer.data.decode() == golden(name)
        assert answer.headers["Content-Type"] == kind
    assert answer.headers["Content-Disposition"] == f'attachment; filename="log-{game}.jsonl"'
    assert phone.get(f"/api/games/{game}/bgstats.svg").status_code == 200
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


def played(phone: Phone, game: str) -> requests.PlayAnswer:
    return msgspec.json.decode(
        phone.get(f"/api/games/{game}/bgstats").data, type=requests.PlayAnswer
    )


def play_in(link: str, start: str) -> dict[str, Any]:
    assert link.startswith(start)
    play: dict[str, Any] = json.loads(parse_qs(urlsplit(link).query)["data"][0])
    return play

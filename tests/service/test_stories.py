"""Stories of finished games, as phones and televisions get them."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from flask import Flask

from companion.engine import Corrected, Correction, Number, Seat
from companion.service import wire_pages
from companion.service.app import create_app
from companion.service.records import stories
from companion.service.records.stories import KEY
from companion.service.settings import Settings
from companion.service.views.words import measured_words
from companion.table import Undone
from companion.table.database import FILE_NAME, saved_state
from companion.table.log import EventLog
from tests.service.phone import Phone, app_state_of
from tests.service.test_archive import begin_named, win
from tests.service.test_commands import key_of
from tests.table.test_table import play, say

ANY = msgspec.json.Decoder()


def story_on(phone: Phone, game: str = "g1") -> wire_pages.StoryView:
    answer = phone.get(f"/api/games/{game}/story")
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.data, type=wire_pages.StoryView)


def test_a_finished_game_has_its_chances_to_the_end(app: Flask, host: Phone, game: str) -> None:
    win(app_state_of(app).table, "Ana", "Ben", "Cleo", winner=1, game=game)
    found = story_on(host)
    assert found.problem is None
    assert [one.ended for one in found.chance] == [False] * (len(found.chance) - 1) + [True]
    assert found.chance[-1].chances == (0, 1, 0)
    for one in found.chance:
        assert sum(one.chances) == pytest.approx(1, abs=0.002)
    turned = found.turning_point
    assert turned is not None
    assert turned.turn in {one.turn for one in found.chance}
    assert len(turned.faces) == 6
    assert found.measured is not None
    assert [one.seat for one in found.luck] == [0, 1, 2, None]


def test_a_running_game_has_no_story(app: Flask, host: Phone) -> None:
    begin_named(app_state_of(app).table, "Ana", "Ben")
    answer = host.get("/api/games/g1/story")
    assert (answer.status_code, key_of(answer)) == (400, "error.story.not_ended")
    assert host.get("/api/games/g9/story").status_code == 404


def test_an_undone_end_and_another_end_make_another_story(app: Flask, host: Phone) -> None:
    table = app_state_of(app).table
    win(table, "Ana", "Ben", winner=0)
    first = story_on(host)
    say(table, Undone(table.snapshot().rev))
    assert key_of(host.get("/api/games/g1/story")) == "error.story.not_ended"
    for seat, stars in ((0, 3), (1, 20)):
        say(table, Corrected(numbers=(Correction(Seat(seat), Number.STARS, stars),)))
    play(table, 9)
    second = story_on(host)
    assert (first.chance[-1].chances, second.chance[-1].chances) == ((1, 0), (0, 1))


def test_a_story_is_kept_and_made_once(tmp_path: Path) -> None:
    data, networks = tmp_path / "data", Settings(data=tmp_path).networks
    app = create_app(Settings(data=data))
    phone = Phone(app)
    phone.join()
    win(app_state_of(app).table, "Ana", "Ben")
    found = story_on(phone)
    app_state_of(app).close()
    assert saved_state(data / FILE_NAME, KEY, ANY) is not None
    again = create_app(Settings(data=data, networks=networks))
    phone = Phone(again)
    phone.join()
    assert story_on(phone) == found
    assert app_state_of(again).forecasts.pid is None
    app_state_of(again).close()


def test_stories_of_another_form_are_made_again(tmp_path: Path) -> None:
    with closing(EventLog(tmp_path)) as log:
        log.put_state(KEY, {"format": 1})
    app = create_app(Settings(data=tmp_path))
    phone = Phone(app)
    phone.join()
    win(app_state_of(app).table, "Ana", "Ben")
    assert story_on(phone).chance
    app_state_of(app).close()


def test_without_networks_the_story_says_so_and_has_all_else(tmp_path: Path) -> None:
    app = create_app(Settings(data=tmp_path / "data", networks=tmp_path / "none"))
    phone = Phone(app)
    phone.join()
    win(app_state_of(app).table, "Ana", "Ben")
    found = story_on(phone)
    assert found.problem is not None
    assert found.problem.key == "error.forecast.missing"
    assert (found.chance, found.turning_point, found.measured) == ((), None, None)
    assert len(found.luck) == 3
    assert phone.view().game is not None
    app_state_of(app).close()
    assert saved_state(tmp_path / "data" / FILE_NAME, KEY, ANY) is None


@pytest.mark.parametrize(("again_s", "anew"), [(60.0, False), (0.0, True)])
def test_a_story_without_its_chances_is_made_anew_only_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again_s: float, anew: bool
) -> None:
    monkeypatch.setattr(stories, "TRIED_AGAIN_S", again_s)
    app = create_app(Settings(data=tmp_path / "data", networks=tmp_path / "none"))
    phone = Phone(app)
    phone.join()
    win(app_state_of(app).table, "Ana", "Ben")
    found = story_on(phone)
    asked = app_state_of(app).forecasts.pid
    assert asked is not None
    os.kill(asked, signal.SIGKILL)
    assert story_on(phone) == found
    assert (app_state_of(app).forecasts.pid != asked) is anew, "only who is asked is started again"
    app_state_of(app).close()


def test_a_television_gets_the_story_of_the_game_on_the_table(app: Flask, host: Phone) -> None:
    table = app_state_of(app).table
    win(table, "Ana", "Ben")
    screen = Phone(app)
    assert screen.get("/api/tv/story").status_code == 403
    code = app_state_of(app).view_tokens.shown().code
    assert screen.post("/api/tv/join", {"token": None, "code": code}).status_code == 200
    answer = screen.get("/api/tv/story")
    assert answer.status_code == 200, answer.text
    assert msgspec.json.decode(answer.data, type=wire_pages.StoryView) == story_on(host)


def test_what_was_measured_is_said_and_that_nothing_was() -> None:
    assert measured_words({}).key == "forecast.unmeasured"
    measured = {
        "games": 2000.0, "constant_brier": 0.19, "rule_brier": 0.15, "random_brier": 0.16,
        "random_won": 430.0, "matches": 500.0, "last_brier": 0.1234,
    }  # fmt: skip
    words = measured_words(measured)
    assert words.key == "forecast.measured"
    assert words.args == {"count": 2000, "score": "0.123", "equal": "0.190"}

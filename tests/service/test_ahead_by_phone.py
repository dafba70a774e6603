"""Answers set ahead, as phones set and see them."""

from __future__ import annotations

from pathlib import Path

from companion.engine import Ahead
from companion.service.app import create_app
from companion.service.settings import Settings
from tests.service.phone import Phone, app_state_of


def test_a_phone_sets_it_and_all_see_it(host: Phone, game: str) -> None:
    host.set_up(game)
    host.say({"type": "AheadSaid", "seat": 0, "ahead": {"stay_above": 4}})
    assert host.game().seats[0].ahead == Ahead(stay_above=4)
    assert host.game().seats[1].ahead is None
    row = host.view().log[-1]
    assert (row.words.key, row.words.args["keep"], row.seat) == ("did.ahead.stay", 4, 0)
    host.say({"type": "AheadSaid", "seat": 0, "ahead": None})
    assert host.view().log[-1].words.key == "did.ahead.none"
    assert host.game().seats[0].ahead is None


def test_where_each_edits_the_own_seat_only_its_player_sets_it(tmp_path: Path, game: str) -> None:
    app = create_app(Settings(tmp_path, anyone_may_edit=False))
    host, guest = Phone(app), Phone(app, "127.0.0.2")
    host.join()
    host.sit(0)
    host.set_up(game)
    guest.join(token=app_state_of(app).browsers.invitation.token)
    guest.sit(1)
    event = {"type": "AheadSaid", "ahead": {"flee_below": 4}}
    assert guest.command({**event, "seat": 0}).status_code == 403
    assert guest.command({**event, "seat": 1}).status_code == 200
    assert guest.game().seats[1].ahead == Ahead(flee_below=4)
    app_state_of(app).close()

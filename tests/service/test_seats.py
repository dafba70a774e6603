"""Joining, sitting, and who may say what."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from companion.engine.events import DiceRolled
from companion.service import create_app
from companion.service.browsers import ALPHABET, Browsers
from companion.service.names import clean_name
from companion.service.rights import may_send
from companion.service.settings import Limits, Settings
from companion.service.wire import Role, You
from companion.table import RefusedError, State
from tests.engine.tables import TOKYO, Scene, dice
from tests.service.phone import Phone, desk_of
from tests.service.test_commands import asked_for, corrected, key_of


def test_the_first_who_comes_is_the_host_and_the_next_watch(app: Flask) -> None:
    first, second = Phone(app), Phone(app)
    invitation = desk_of(app).browsers.invitation
    assert first.join(code=invitation.code.lower())["you"] == {"role": "host", "seat": None}
    assert second.join(token=invitation.token)["you"] == {"role": "spectator", "seat": None}
    assert second.sit(1).json["you"] == {"role": "player", "seat": 1}  # type: ignore[index]
    assert second.post("/api/leave", {}).json["you"]["role"] == "spectator"  # type: ignore[index]


def test_joining_twice_changes_nothing(host: Phone) -> None:
    assert host.join(code="WRONG1")["you"]["role"] == "host"


def test_a_wrong_code_lets_nobody_in_and_five_a_minute_are_enough(app: Flask) -> None:
    phone = Phone(app, address="192.168.7.7")
    answers = [phone.post("/api/join", {"code": "WRONG1"}) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [403] * 5 + [429]
    right = {"code": desk_of(app).browsers.invitation.code}
    assert phone.post("/api/join", right).status_code == 429
    assert Phone(app, address="192.168.7.8").post("/api/join", right).status_code == 200


def test_a_second_phone_on_a_taken_seat_is_refused_clearly(app: Flask, host: Phone) -> None:
    ana, thief = Phone(app), Phone(app)
    ana.join()
    thief.join()
    assert ana.sit(0).status_code == 200
    desk = desk_of(app)
    cookie = ana.client.get_cookie(desk.cookie).value
    desk.browsers.listening(cookie, 1)
    for take_over in (False, True):
        answer = thief.sit(0, take_over=take_over)
        assert (answer.status_code, key_of(answer)) == (409, "error.seat_taken")
    assert ana.update().you.seat == 0
    assert host.sit(0, take_over=True).status_code == 200
    assert ana.update().you == You(role=Role.SPECTATOR)


def test_a_seat_whose_phone_is_silent_may_be_taken_over(app: Flask, host: Phone) -> None:
    ana, again = Phone(app), Phone(app)
    ana.join()
    again.join()
    ana.sit(0)
    assert again.sit(0).status_code == 409
    assert again.sit(0, take_over=True).status_code == 200


def test_there_are_no_more_seats_than_monsters(host: Phone, game: str) -> None:
    assert host.sit(5).status_code == 200
    assert host.sit(6).status_code == 400
    host.set_up(game, 3)
    assert host.update().you.seat is None, "nobody sits where no monster plays"
    assert host.sit(3).status_code == 409
    assert host.sit(2).status_code == 200


def test_who_watches_says_nothing(app: Flask, host: Phone, game: str) -> None:
    host.set_up(game)
    watcher = Phone(app)
    watcher.join()
    answer = watcher.command(corrected(0, "energy", 3))
    assert (answer.status_code, key_of(answer)) == (403, "error.only_watching")


def test_at_home_a_player_may_answer_for_another_and_the_log_says_who(
    app: Flask, host: Phone, game: str
) -> None:
    host.set_up(game)
    seat, option = asked_for(host)
    player = Phone(app)
    player.join()
    player.sit(1 - seat)
    asked = player.game().question
    assert asked is not None
    assert asked.may_answer == (0, 1)
    player.say({"type": "Chosen", "seat": seat, "option": option})
    row = player.view().log[-1]
    assert (row.seat, row.by) == (seat, f"P{1 - seat}")


def test_in_public_everybody_speaks_for_the_own_seat(tmp_path: Path, game: str) -> None:
    app = create_app(Settings(data=tmp_path, anyone_may_edit=False))
    host, player = Phone(app), Phone(app)
    host.join()
    player.join()
    host.set_up(game)
    seat, option = asked_for(host)
    player.sit(1 - seat)
    asked = player.game().question
    assert asked is not None
    assert asked.may_answer == (seat,)
    event = {"type": "Chosen", "seat": seat, "option": option}
    assert key_of(player.command(event)) == "error.not_yours"
    assert key_of(player.command(corrected(0, "energy", 3))) == "error.not_yours"
    assert host.command(event).status_code == 200
    desk_of(app).close()


def test_in_public_dice_are_told_by_whoever_rolls_them() -> None:
    places = ("outside", "tokyo_city", "outside")
    table = Scene(TOKYO, cards={1: ("camouflage",)}, at=places).begin()
    table.order("AH").roll("AAHHHH")
    assert table.asked == "cancel@1"
    state = State(game=table.game, question=table.question)
    rolled = DiceRolled(dice("HE"), final=True)
    may_send(You(role=Role.PLAYER, seat=1), rolled, state, anyone=False)
    for seat in (0, 2):
        with pytest.raises(RefusedError) as refused:
            may_send(You(role=Role.PLAYER, seat=seat), rolled, state, anyone=False)
        assert refused.value.key == "error.not_yours"


def test_only_the_host_ends_a_running_game(app: Flask, host: Phone, game: str) -> None:
    host.set_up(game)
    player = Phone(app)
    player.join()
    player.sit(1)
    setup = {"type": "TableSet", "game": game, "edition": "first", "seats": []}
    assert key_of(player.command(setup)) == "error.not_yours"
    assert host.command(setup).status_code == 200


def test_a_new_code_ends_the_old_one(app: Flask, host: Phone) -> None:
    old = desk_of(app).browsers.invitation
    player = Phone(app)
    player.join()
    assert player.post("/api/code", {}).status_code == 403
    assert host.post("/api/code", {}).status_code == 200
    fresh = host.view().join
    assert fresh is not None
    assert fresh.code != old.code
    stranger = Phone(app, address="10.0.0.2")
    assert stranger.post("/api/join", {"code": old.code}).status_code == 403
    assert stranger.post("/api/join", {"token": old.token}).status_code == 403
    assert stranger.post("/api/join", {"code": fresh.code}).status_code == 200


def test_who_joined_is_known_after_a_restart_and_secrets_are_not_on_the_disk(
    app: Flask, host: Phone
) -> None:
    host.sit(3)
    desk = desk_of(app)
    cookie = host.client.get_cookie(desk.cookie).value
    desk.close()
    assert cookie not in (desk.settings.data / "browsers.json").read_text()
    again = create_app(desk.settings)
    assert desk_of(again).browsers.you(cookie) == You(role=Role.HOST, seat=3)
    desk_of(again).close()


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_lost_host_is_replaced_from_the_terminal_only(tmp_path: Path) -> None:
    clock = Clock()
    browsers = Browsers(tmp_path, Limits(), clock)
    invitation = browsers.invitation
    assert browsers.join("a", invitation.terminal, None)[1] is Role.HOST
    assert browsers.join("a", invitation.terminal, None)[1] is Role.SPECTATOR
    clock.now = 121
    assert browsers.join("a", invitation.token, None)[1] is Role.SPECTATOR
    assert browsers.join("a", invitation.terminal, None)[1] is Role.HOST


def test_knocking_is_counted_by_the_minute(tmp_path: Path) -> None:
    clock = Clock()
    browsers = Browsers(tmp_path, Limits(), clock)
    code = browsers.invitation.code
    for _ in range(10):
        browsers.join("a", None, code)
    with pytest.raises(RefusedError, match="too_many_tries"):
        browsers.join("a", None, code)
    clock.now = 61
    browsers.join("a", None, code)


def test_wrong_codes_from_everywhere_are_counted_together(tmp_path: Path) -> None:
    browsers = Browsers(tmp_path, Limits(), Clock())
    for n in range(30):
        with pytest.raises(RefusedError, match="wrong_code"):
            browsers.join(f"10.0.0.{n}", None, "WRONG1")
    with pytest.raises(RefusedError, match="too_many_tries"):
        browsers.join("10.0.1.1", None, browsers.invitation.code)


def test_a_full_table_forgets_who_only_watched_and_left(tmp_path: Path) -> None:
    limits = Limits(browsers=3, joins_per_minute=99)
    browsers = Browsers(tmp_path, limits, Clock())
    code = browsers.invitation.code
    secrets = [browsers.join("a", None, code)[0] for _ in range(3)]
    browsers.sit(secrets[1], 0, take_over=False)
    browsers.join("a", None, code)
    assert browsers.you(secrets[2]).role is Role.STRANGER
    assert browsers.you(secrets[1]).seat == 0
    assert browsers.you(secrets[0]).role is Role.HOST


def test_codes_are_short_and_have_no_signs_that_look_alike(tmp_path: Path) -> None:
    codes = {Browsers(tmp_path, Limits()).invitation.code for _ in range(50)}
    assert len(codes) == 50
    assert all(len(code) == 6 and set(code) <= set(ALPHABET) for code in codes)
    assert len(ALPHABET) == 31
    assert not set("01OIL") & set(ALPHABET)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  Ana  ", "Ana"),
        ("A\u200bna\u202e", "Ana"),
        ("e\u0301", "é"),
        ("👩‍👩‍👧" * 30, "👩‍👩‍👧" * 24),
        ("🇮🇸" * 25, "🇮🇸" * 24),
        ("\x00\n", ""),
        ("Þórdís", "Þórdís"),
        ("王小明", "王小明"),
        ("a" + "\u0301" * 500, "á" + "\u0301" * 11),
    ],
)
def test_names(given: str, kept: str) -> None:
    assert clean_name(given) == kept

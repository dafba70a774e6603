"""Seats, claims, hosts and joining, with a clock that the tests move."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from flask import Flask

from companion.service.people import Browsers
from companion.service.people.browsers import (
    BACK_S,
    COOKIE_S,
    HEARD_S,
    KEY,
    MOST_ROWS,
    Browser,
)
from companion.service.settings import Limits
from companion.service.wire import Claim, Role, You
from companion.service.wire import Phone as Presence
from companion.table import RefusedError, log
from companion.table.log import EventLog
from tests.service.phone import Phone, Start, app_state_of
from tests.table.test_log import a_row
from tests.waiting import Clock, blocking_disk

SEAT_S, HOST_S, CLAIM_S = 60, 120, 60


class Room:
    """Browsers of one table; a phone is its secret, and listens from the start."""

    def __init__(self, folder: Path, **limits: float) -> None:
        self.clock, self.log, self.limits = Clock(), EventLog(folder), Limits(**limits)  # type: ignore[arg-type]
        self.browsers = Browsers(self.log, self.limits, self.clock)
        self.invitation = self.browsers.invitation

    def phone(self, address: str = "a", *, live: bool = True, token: str | None = None) -> str:
        secret, _ = self.browsers.join(address, token or self.browsers.invitation.token, None)
        if live:
            self.browsers.count_stream(secret, 1, address)
        return secret

    def seated(self, seat: int) -> str:
        secret = self.phone()
        self.browsers.sit(secret, seat, take_over=True)
        return secret

    def you(self, secret: str) -> You:
        return self.browsers.you(secret)

    def take(self, secret: str, seat: int) -> You:
        """The one request that the page sends, whatever the state of the seat."""
        self.browsers.sit(secret, seat, take_over=True)
        return self.you(secret)

    def gone(self, secret: str, seconds: float = 0.0) -> None:
        """The phone falls silent, and so much later…"""
        self.browsers.count_stream(secret, -1)
        self.clock.move(seconds)

    def back(self, secret: str) -> None:
        self.browsers.count_stream(secret, 1)

    def refused(self, secret: str, seat: int) -> str:
        with pytest.raises(RefusedError) as refusal:
            self.browsers.sit(secret, seat, take_over=True)
        return refusal.value.key


@pytest.fixture
def room(tmp_path: Path) -> Room:
    """Somebody is host already, and listens."""
    room = Room(tmp_path)
    room.phone()
    return room


def test_a_seat_silent_for_a_minute_is_free_and_its_old_phone_gets_it_back(room: Room) -> None:
    ben, thief = room.seated(1), room.phone()
    room.gone(ben, SEAT_S)
    assert room.take(thief, 1).seat == 1
    room.back(ben)
    assert (room.you(ben).seat, room.you(ben).before) == (None, 1)
    assert room.take(ben, 1).seat == 1
    assert room.you(thief).seat is None
    assert room.take(thief, 1).asks == 1, "it was never its own, so it asks"


def test_a_seat_just_silent_is_not_free(room: Room) -> None:
    ben, other = room.seated(1), room.phone()
    room.gone(ben, SEAT_S - 1)
    assert room.take(other, 1).asks == 1
    assert room.you(ben).seat == 1
    room.clock.move(1)
    with pytest.raises(RefusedError, match="seat_taken"):  # it does not mean to take it over
        room.browsers.sit(other, 1, take_over=False)


def test_the_one_with_the_seat_longest_has_the_right_to_return_and_no_other(room: Room) -> None:
    ben, second, third = room.seated(1), room.phone(), room.phone()
    room.gone(ben, SEAT_S)
    room.take(second, 1)
    room.gone(second, SEAT_S)
    room.take(third, 1)
    assert room.take(ben, 1).seat == 1
    assert room.take(second, 1).asks == 1
    assert room.take(third, 1).asks == 1


def test_the_holder_of_a_live_seat_gives_or_keeps(room: Room) -> None:
    ben, old, other = room.seated(1), room.phone(), room.seated(0)
    asker = room.take(old, 1)
    assert (asker.seat, asker.asks) == (None, 1)
    assert room.browsers.people().claims == (Claim(by=asker.id, seat=1),)
    with pytest.raises(RefusedError, match="not_yours"):
        room.browsers.answer(other, asker.id, 1, give=True)
    room.browsers.answer(ben, asker.id, 1, give=True)
    assert room.you(old).seat == 1
    assert (room.you(ben).seat, room.you(ben).before) == (None, None)
    assert room.browsers.people().claims == ()


def test_who_is_refused_learns_it_and_asks_again_only_after_a_while(room: Room) -> None:
    ben, other = room.seated(1), room.phone()
    asker = room.take(other, 1)
    room.browsers.answer(ben, asker.id, 1, give=False)
    assert (room.you(other).asks, room.you(other).kept) == (None, 1)
    assert room.refused(other, 1) == "error.seat_kept"
    room.browsers.withdraw(other)
    assert room.refused(other, 1) == "error.seat_kept", "asking again is no way around"
    room.clock.move(CLAIM_S)
    assert (room.take(other, 1).asks, room.you(other).kept) == (1, None)


def test_the_host_answers_for_a_holder_and_the_holder_sees_it(tmp_path: Path) -> None:
    room = Room(tmp_path)
    host, ben, old = room.phone(), room.seated(1), room.phone()
    room.browsers.answer(host, room.take(old, 1).id, 1, give=True)
    assert room.you(old).seat == 1
    assert room.you(ben).before == 1
    assert room.take(ben, 1).asks == 1, "the host has decided: it asks"


def test_the_host_takes_any_seat_at_once(tmp_path: Path) -> None:
    room = Room(tmp_path)
    host, ben = room.phone(), room.seated(1)
    assert (room.take(host, 1).role, room.you(host).seat) == (Role.HOST, 1)
    assert (room.you(ben).role, room.you(ben).before) == (Role.SPECTATOR, 1)


def test_a_claim_goes_over_by_itself_when_the_holder_falls_silent(room: Room) -> None:
    ben, other = room.seated(1), room.phone()
    room.take(other, 1)
    room.gone(ben, SEAT_S - 1)
    room.browsers.tick()
    assert room.you(other).seat is None
    room.clock.move(1)
    room.browsers.tick()
    assert room.you(other).seat == 1
    room.back(ben)
    assert room.take(ben, 1).seat == 1


def test_a_claim_is_met_when_the_holder_leaves(room: Room) -> None:
    ben, other = room.seated(1), room.phone()
    room.take(other, 1)
    room.browsers.leave_seat(ben)
    assert room.you(other).seat == 1
    assert room.you(ben).before is None


def test_a_claim_ends_when_the_asker_goes_withdraws_or_sits_elsewhere(room: Room) -> None:
    room.seated(1)
    gone, away, elsewhere = room.phone(), room.phone(), room.phone()
    for secret in (gone, away, elsewhere):
        room.take(secret, 1)
    assert len(room.browsers.people().claims) == 3
    room.take(elsewhere, 2)
    room.browsers.withdraw(away)
    room.gone(gone, CLAIM_S)
    room.browsers.tick()
    assert room.browsers.people().claims == ()
    room.back(gone)
    assert room.you(gone).seat is None


def test_a_browser_has_one_claim(room: Room) -> None:
    room.seated(1)
    room.seated(2)
    other = room.phone()
    room.take(other, 1)
    room.take(other, 2)
    assert [claim.seat for claim in room.browsers.people().claims] == [2]
    with pytest.raises(RefusedError, match="no_claim"):
        room.browsers.answer(room.seated(3), room.you(other).id, 1, give=True)


def test_a_phone_that_sleeps_while_the_service_starts_again_keeps_its_seat(room: Room) -> None:
    ben, other = room.seated(1), room.phone()
    room.gone(ben, SEAT_S * 10)
    room.browsers.close()
    again = Browsers(room.log, room.limits, room.clock)
    again.count_stream(other, 1)
    again.sit(other, 1, take_over=True)
    assert (again.you(ben).seat, again.you(other).asks) == (1, 1)
    room.clock.move(SEAT_S)
    again.tick()
    assert again.you(other).seat == 1


def test_another_game_ends_claims_and_the_right_to_return(room: Room) -> None:
    ben, thief, asker = room.seated(1), room.phone(), room.phone()
    room.gone(ben, SEAT_S)
    room.take(thief, 1)
    room.take(asker, 1)
    room.browsers.follow("g1", 1, (), None)
    room.browsers.follow("g2", 1, (), None)
    assert room.browsers.people().claims == ()
    assert room.you(ben).before is None
    assert room.take(ben, 1).asks == 1


A, B, C = "puffin_rex", "old_scree", "lampmoth"


@pytest.mark.parametrize(
    ("now", "seats"),
    [
        ((A, B, C), (0, 1, 2)),
        ((B, A, C), (1, 0, 2)),
        ((C, A, B), (1, 2, 0)),
        ((B, C), (None, 0, 1)),
        ((A, "inkwell", C), (0, 1, 2)),
        ((A, B, C, "inkwell"), (0, 1, 2)),
        ((), (None, None, None)),
    ],
)
def test_phones_keep_their_seats_when_the_host_moves_or_removes_one(
    room: Room, now: tuple[str, ...], seats: tuple[int | None, ...]
) -> None:
    room.browsers.follow("g1", 1, (A, B, C), None)
    phones = [room.seated(seat) for seat in range(3)]
    room.browsers.follow("g1", 2, now, None)
    assert tuple(room.you(one).seat for one in phones) == seats
    assert all(
        (room.you(one).seat is None) == (room.you(one).role is Role.SPECTATOR) for one in phones
    )
    room.browsers.follow("g1", 1, (A, B, C), None)
    assert tuple(room.you(one).seat for one in phones) == seats, "an older table moves nobody"


def test_who_sat_down_before_the_seats_were_named_stays(room: Room) -> None:
    room.browsers.follow("g1", 0, (), None)
    phones = [room.seated(seat) for seat in range(2)]
    room.browsers.follow("g1", 1, (A,), None)
    assert [room.you(one).seat for one in phones] == [0, 1]
    room.browsers.follow("g1", 2, (A, B), 2)
    assert [room.you(one).seat for one in phones] == [0, 1]


def test_phones_sit_by_their_players_in_an_earlier_game_with_another_order(room: Room) -> None:
    room.browsers.follow("g1", 1, (A, B), 2, ("Ana", "Ben"))
    ana, ben = room.seated(0), room.seated(1)
    room.browsers.follow("g2", 1, (A, C), 2, ("Ben", "Ana"))
    assert (room.you(ana).seat, room.you(ben).seat) == (1, 0)
    room.browsers.follow("g3", 1, (A, B), 2, ("Eva", "Finn"))
    assert (room.you(ana).seat, room.you(ben).seat) == (1, 0), "of nobody who is known"


def test_a_clock_that_is_set_right_after_months_signs_nobody_out(tmp_path: Path) -> None:
    room, wall = Room(tmp_path), Clock()
    room.browsers = Browsers(room.log, room.limits, room.clock, wall)
    secret = room.phone()
    wall.move(COOKIE_S + 1)
    room.browsers.tick()
    again = Browsers(room.log, room.limits, Clock(), wall)  # after a power cut
    assert again.you(secret).role is Role.HOST


def test_a_host_hands_over_to_any_phone_that_listens(tmp_path: Path) -> None:
    room = Room(tmp_path)
    host, ben, away = room.phone(), room.seated(1), room.phone()
    room.browsers.sit(host, 0, take_over=True)
    with pytest.raises(RefusedError, match="not_yours"):
        room.browsers.hand_over(ben, room.you(ben).id)
    room.gone(away, SEAT_S)
    with pytest.raises(RefusedError, match="phone_silent"):
        room.browsers.hand_over(host, room.you(away).id)
    room.browsers.hand_over(host, room.you(ben).id)
    assert (room.you(ben).role, room.you(ben).seat) == (Role.HOST, 1)
    assert (room.you(host).role, room.you(host).seat) == (Role.PLAYER, 0)


def test_a_seated_phone_replaces_a_lost_host_and_nobody_else_does(tmp_path: Path) -> None:
    room = Room(tmp_path)
    host, ben, watcher = room.phone(), room.seated(1), room.phone()
    room.gone(host, HOST_S - 1)
    assert not room.browsers.people().host_lost
    with pytest.raises(RefusedError, match="host_is_here"):
        room.browsers.hand_over(ben, None)
    room.clock.move(1)
    room.browsers.tick()
    assert room.browsers.people().host_lost
    with pytest.raises(RefusedError, match="only_watching"):
        room.browsers.hand_over(watcher, None)
    room.browsers.hand_over(ben, None)
    assert room.you(ben).role is Role.HOST
    room.back(host)
    assert room.you(host).role is Role.SPECTATOR


def test_the_terminal_makes_a_host_where_the_host_is_lost_and_there_is_one_only(
    tmp_path: Path,
) -> None:
    room = Room(tmp_path)
    terminal = room.invitation.terminal
    host, other, late = room.phone(token=terminal), room.phone(token=terminal), room.phone()
    assert room.you(host).role is Role.HOST
    assert room.you(other).role is Role.SPECTATOR
    room.gone(host, HOST_S)
    room.browsers.show_token(late, room.invitation.token)
    assert room.you(late).role is Role.SPECTATOR
    room.browsers.show_token(late, terminal)
    roles = [person.role for person in room.browsers.people().persons]
    assert room.you(late).role is Role.HOST
    assert roles.count(Role.HOST) == 1
    assert room.you(room.phone(token=terminal)).role is Role.SPECTATOR


def test_who_is_signed_out_is_a_stranger_and_no_code_it_knows_lets_it_in(tmp_path: Path) -> None:
    room = Room(tmp_path)
    host, ben, asker = room.phone(), room.seated(1), room.phone()
    before = room.browsers.invitation
    room.take(asker, 1)
    with pytest.raises(RefusedError, match="not_yourself"):
        room.browsers.sign_out(host, room.you(host).id)
    room.browsers.sign_out(host, room.you(ben).id)
    assert room.you(ben).role is Role.STRANGER
    assert room.you(asker).seat == 1
    room.gone(ben)  # its stream ends afterwards
    for token, code in ((before.token, None), (None, before.code)):
        with pytest.raises(RefusedError, match="wrong_code"):
            room.browsers.join("a", token, code)
    room.browsers.sign_out(host, None)
    assert [person.id for person in room.browsers.people().persons] == [room.you(host).id]


def test_an_address_counts_until_the_last_of_its_streams_has_gone(tmp_path: Path) -> None:
    room = Room(tmp_path)
    first, second = room.phone("a"), room.phone("a")
    room.gone(first)
    assert room.browsers.addresses() == {"a"}
    room.gone(second)
    assert room.browsers.addresses() == set()


def test_wrong_codes_of_an_address_lock_it_out_and_those_of_six_all_codes_but_no_token(
    tmp_path: Path,
) -> None:
    room = Room(tmp_path)

    def guess(address: str) -> None:
        for _ in range(5):
            with pytest.raises(RefusedError, match="wrong_code"):
                room.browsers.join(address, None, "WRONG1")

    guess("a")
    with pytest.raises(RefusedError, match="too_many_tries"):
        room.browsers.join("a", None, room.invitation.code)
    room.browsers.join("other", None, room.invitation.code)
    for address in "bcdef":
        guess(address)
    with pytest.raises(RefusedError, match="too_many_tries"):
        room.browsers.join("other", None, room.invitation.code)
    for address in ("b", "other"):
        room.phone(address)
        room.phone(address, token=room.invitation.terminal)
    room.clock.move(61)
    room.browsers.join("a", None, room.invitation.code)


def test_one_address_cannot_fill_the_table(tmp_path: Path) -> None:
    room = Room(tmp_path, browsers=12)
    host = room.phone("host")
    guest = room.phone("guest", live=False)
    for _ in range(40):
        room.phone("greedy", live=False)
    assert len(room.browsers.people().persons) == 12
    late = room.phone("late", live=False)
    assert room.you(guest).role is room.you(late).role is Role.SPECTATOR
    assert room.you(host).role is Role.HOST


def test_a_listening_browser_makes_room_for_an_address_with_fewer(tmp_path: Path) -> None:
    room = Room(tmp_path, browsers=10)
    for seat in range(6):
        room.seated(seat)
    crowd = [room.phone("greedy") for _ in range(4)]
    late = room.phone("late")
    assert room.you(crowd[0]).role is Role.STRANGER, "the oldest of the largest crowd"
    room.phone("later")
    with pytest.raises(RefusedError, match="table_full"):
        room.phone("late")
    with pytest.raises(RefusedError, match="table_full"):
        room.phone("greedy")
    assert room.you(late).role is Role.SPECTATOR


def test_the_longest_listening_browser_makes_room_while_a_seat_is_free(tmp_path: Path) -> None:
    room = Room(tmp_path, browsers=12)
    players = [room.seated(seat) for seat in range(5)]
    crowd = [room.phone("greedy" if n else "lone") for n in range(7)]
    fresh = room.phone("new")
    assert room.you(crowd[1]).role is Role.STRANGER, "the oldest of the largest crowd"
    assert all(room.you(one).role is not Role.STRANGER for one in (crowd[0], *crowd[2:], *players))
    room.take(fresh, 5)
    with pytest.raises(RefusedError, match="table_full"):
        room.phone("greedy")
    room.gone(players[2], SEAT_S)
    room.phone("greedy")


def test_a_phone_that_went_counts_for_twenty_seconds_is_silent_and_then_lost(
    tmp_path: Path,
) -> None:
    room = Room(tmp_path)
    room.gone(room.seated(1))
    seen = []
    for now_s in (0.0, HEARD_S - 1, HEARD_S, SEAT_S - 1, SEAT_S, 3 * 3600):
        room.clock.now = now_s
        (person,) = room.browsers.people().persons
        seen.append((room.browsers.phones()[1], person.phone))
    there, silent, lost = (1, Presence.LIVE), (0, Presence.SILENT), (0, Presence.LOST)
    assert seen == [there, there, silent, silent, lost, lost]
    assert person.silent_min == 99


def test_silent_watchers_make_room_before_those_that_listen(tmp_path: Path) -> None:
    room = Room(tmp_path, browsers=4)
    room.phone()
    room.clock.move(1)
    live, silent = room.phone("a"), room.phone("b", live=False)
    room.clock.move(1)
    later = room.phone("c", live=False)
    room.phone("d")
    assert room.you(silent).role is Role.STRANGER
    assert {room.you(one).role for one in (live, later)} == {Role.SPECTATOR}


def test_a_browser_that_keeps_no_cookie_is_forgotten_within_a_minute(room: Room) -> None:
    lost = [room.phone(live=False) for _ in range(3)]
    back = room.phone(live=False)
    room.browsers.recognize(back)
    room.clock.move(BACK_S - 1)
    room.browsers.tick()
    assert all(room.you(one).role is Role.SPECTATOR for one in (*lost, back))
    room.clock.move(1)
    room.browsers.tick()
    assert {room.you(one).role for one in lost} == {Role.STRANGER}
    assert room.you(back).role is Role.SPECTATOR
    assert len(room.browsers.people().persons) == 2


DAY_S = 24 * 3600
NOW = 1_800_000_000.0


def browsers(log: EventLog, wall_s: float = NOW) -> Browsers:
    return Browsers(log, Limits(), Clock(), lambda: wall_s)


def evening(log: EventLog) -> tuple[str, str]:
    """The cookies of the host and of a player, after an evening whose service has stopped."""
    table = browsers(log)
    host, _ = table.join("a", table.invitation.terminal, None)
    player, _ = table.join("b", table.invitation.token, None)
    table.sit(player, 1, take_over=True)
    table.close()
    return host, player


def roles(table: Browsers, *secrets: str) -> list[Role]:
    return [table.you(secret).role for secret in secrets]


def row(n: int, seat: int | None = None) -> tuple[Browser, float]:
    return Browser(f"{n:064x}", Role.SPECTATOR if seat is None else Role.PLAYER, seat), NOW


DAMAGES: dict[str, object] = {
    "null": None,
    "no key": ((Browser("x", Role.HOST), NOW),),
    "seat 7": (row(1, 7),),
    "too many": tuple(row(n) for n in range(MOST_ROWS + 1)),
}


def test_everybody_is_known_after_a_restart_and_there_once_heard_again(tmp_path: Path) -> None:
    with closing(EventLog(tmp_path)) as log:
        host, player = evening(log)
    with closing(EventLog(tmp_path)) as log:
        again = browsers(log, NOW + HEARD_S)
        assert roles(again, host, player) == [Role.HOST, Role.PLAYER]
        seen = {person.phone for person in again.people().persons}
        assert (seen, again.phones()) == ({Presence.SILENT}, {1: 0})


@pytest.mark.parametrize("damage", DAMAGES)
def test_if_a_log_with_games_has_lost_who_joined_nobody_is_locked_out(
    tmp_path: Path, damage: str
) -> None:
    log = EventLog(tmp_path)
    log.append("g1", [a_row(1)])
    old, _ = evening(log)
    log.put_state(KEY, DAMAGES[damage])
    again = browsers(log)
    assert again.you(old).role is Role.STRANGER
    assert again.join("a", again.invitation.token, None)[1] is Role.HOST
    assert again.join("b", again.invitation.token, None)[1] is Role.SPECTATOR


@pytest.mark.parametrize(("days", "known"), [(29, True), (31, False), (-3650, True)])
def test_a_cookie_lasts_thirty_days_and_longer_by_a_clock_that_went_back(
    tmp_path: Path, days: int, known: bool
) -> None:
    log = EventLog(tmp_path)
    host, player = evening(log)
    wanted = [Role.HOST, Role.PLAYER] if known else [Role.STRANGER, Role.STRANGER]
    assert roles(browsers(log, NOW + days * DAY_S), host, player) == wanted


def test_browsers_that_are_seen_stay_and_the_others_expire_while_the_service_runs(
    tmp_path: Path,
) -> None:
    clock = Clock()
    table = Browsers(EventLog(tmp_path), Limits(), clock)
    host, _ = table.join("a", table.invitation.terminal, None)
    guest, _ = table.join("b", table.invitation.token, None)
    table.count_stream(host, 1)
    clock.move(30 * DAY_S)
    table.tick()
    assert roles(table, host, guest) == [Role.HOST, Role.STRANGER]
    table.close()


def test_who_comes_back_after_all_cookies_have_ended_is_host_by_the_qr_code(
    tmp_path: Path,
) -> None:
    log = EventLog(tmp_path)
    evening(log)
    month = NOW + 31 * DAY_S
    for _ in range(2):  # a start at which nobody comes changes nothing
        table = browsers(log, month)
        table.close()
    table = Browsers(log, Limits(), Clock(), lambda: month)
    assert table.join("a", table.invitation.token, None)[1] is Role.HOST
    assert table.join("b", table.invitation.token, None)[1] is Role.SPECTATOR
    table.close()


def test_joining_and_sitting_do_not_wait_for_a_disk_that_blocks(start: Start) -> None:
    host = Phone(start())
    with blocking_disk() as free:
        host.join().sit(0)
        assert (host.you().role, host.you().seat) == (Role.HOST, 0)
        free.set()
    assert app_state_of(start()).browsers.phones() == {0: 1}


def test_phones_see_that_joins_are_not_saved_and_that_they_are_again(
    app: Flask, host: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    app_state = app_state_of(app)
    assert host.view().saved, "it may be soon"
    monkeypatch.setattr(log, "SOON_S", 0.0)
    app_state.publish_beside()
    assert b'"saved":false' in app_state.hub.newest.after_you
    assert not host.view().saved
    assert app_state.table.save()
    app_state.tick()
    assert b'"saved":true' in app_state.hub.newest.after_you
    assert host.view().saved

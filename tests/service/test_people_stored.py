"""Who has joined, over restarts: a damaged log gives nobody a right, no request waits."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from companion.service.app import create_app
from companion.service.people import Browsers
from companion.service.people.browsers import KEY, MOST_ROWS, Browser
from companion.service.settings import Limits, Settings
from companion.service.wire import Role
from companion.table import log
from companion.table.log import EventLog
from tests.service.phone import Phone, app_state_of
from tests.table.test_log import a_row
from tests.waiting import Clock, blocking_disk

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


def test_everybody_is_known_after_a_restart(tmp_path: Path) -> None:
    with closing(EventLog(tmp_path)) as log:
        host, player = evening(log)
    with closing(EventLog(tmp_path)) as log:
        assert roles(browsers(log), host, player) == [Role.HOST, Role.PLAYER]


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
    assert table.tick()
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


def test_joining_and_sitting_do_not_wait_for_a_disk_that_blocks(tmp_path: Path) -> None:
    app = create_app(Settings(data=tmp_path))
    app_state, host = app_state_of(app), Phone(app)
    with blocking_disk() as free:
        host.join()
        host.sit(0)
        assert (host.you().role, host.you().seat) == (Role.HOST, 0)
        free.set()
    app_state.close()
    again = create_app(Settings(data=tmp_path))
    assert app_state_of(again).browsers.phones() == {0: 0}
    app_state_of(again).close()


def test_phones_see_that_joins_are_not_saved_and_that_they_are_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(Settings(data=tmp_path))
    app_state, host = app_state_of(app), Phone(app)
    host.join()
    assert host.view().saved, "it may be soon"
    monkeypatch.setattr(log, "SOON_S", 0.0)
    app_state.publish_people()
    assert b'"saved":false' in app_state.hub.newest.after_you
    assert not host.view().saved
    assert app_state.table.save()
    app_state.tick()
    assert b'"saved":true' in app_state.hub.newest.after_you
    assert host.view().saved
    app_state.close()

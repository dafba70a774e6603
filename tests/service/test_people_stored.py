"""Who has joined, over restarts: a damaged log gives nobody a right, no request waits."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from companion.service.app import create_app
from companion.service.people import Browsers
from companion.service.people.moment import Moment, passed_s
from companion.service.people.stored import KEY, MOST_ROWS, StoredBrowser
from companion.service.settings import Limits, Settings
from companion.service.wire import Role
from companion.table import log
from companion.table.log import EventLog
from tests.service.phone import Phone, app_state_of
from tests.table.test_log import a_row
from tests.waiting import Clock, blocking_disk

DAY_S = 24 * 3600
YEARS_10_S = 10 * 365 * DAY_S
NOW = Moment(wall_s=1_800_000_000, boot="one", up_s=1000)


def browsers(log: EventLog, moment: Moment = NOW) -> Browsers:
    return Browsers(log, Limits(), Clock(), lambda: moment)


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


def row(n: int, role: Role = Role.SPECTATOR, seat: int | None = None) -> StoredBrowser:
    return StoredBrowser(f"{n:064x}", role, seat, heard=NOW)


DAMAGES: dict[str, object] = {
    "null": None,
    "two hosts": (row(1, Role.HOST), row(2, Role.HOST)),
    "two on one seat": (row(1, Role.PLAYER, 1), row(2, Role.PLAYER, 1)),
    "one twice": (row(1), row(1)),
    "a player without a seat": (row(1, Role.PLAYER),),
    "a stranger": (row(1, Role.STRANGER),),
    "seat 7": (row(1, Role.PLAYER, 7),),
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


def later(days: float, *, boot: str = "two", wall_s: int = 0) -> Moment:
    seconds = int(days * DAY_S)
    return Moment(NOW.wall_s + seconds + wall_s, boot, NOW.up_s + seconds)


@pytest.mark.parametrize(
    ("now", "known"),
    [
        (later(29), True),
        (later(31), False),
        (later(31, boot="one"), False),
        (later(1, boot="one", wall_s=YEARS_10_S), True),
        (later(1, boot="one", wall_s=-YEARS_10_S), True),
        (later(31, boot="one", wall_s=-YEARS_10_S), False),
        (later(1, wall_s=YEARS_10_S), True),
        (later(1, wall_s=-YEARS_10_S), True),
    ],
)
def test_a_cookie_lasts_thirty_days_whatever_the_wall_clock_says(
    tmp_path: Path, now: Moment, known: bool
) -> None:
    log = EventLog(tmp_path)
    host, player = evening(log)
    wanted = [Role.HOST, Role.PLAYER] if known else [Role.STRANGER, Role.STRANGER]
    assert roles(browsers(log, now), host, player) == wanted


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
    month = Moment(NOW.wall_s + 31 * DAY_S, "two", 5)
    for _ in range(2):  # a start at which nobody comes changes nothing
        table = browsers(log, month)
        table.close()
    table = Browsers(log, Limits(), Clock(), lambda: month)
    assert table.join("a", table.invitation.token, None)[1] is Role.HOST
    assert table.join("b", table.invitation.token, None)[1] is Role.SPECTATOR
    table.close()


def test_time_is_never_negative() -> None:
    assert passed_s(NOW, Moment(NOW.wall_s, "one", NOW.up_s - 5)) == 0


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

"""`browsers.json`: a damaged file gives nobody a right, and no request waits for the disk."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
import pytest

from companion.service.app import create_app
from companion.service.people import Browsers, background_writer
from companion.service.people.background_writer import SOON_S, BackgroundWriter
from companion.service.people.browsers_file import (
    COPY_NAME,
    FILE_NAME,
    MOST_ROWS,
    StoredBrowser,
    encoded,
)
from companion.service.people.moment import Moment, passed_s
from companion.service.settings import Limits, Settings
from companion.service.wire import Role
from companion.table import RefusedError
from tests.service.phone import Phone, app_state_of
from tests.waiting import WITHIN_S, Clock, blocking_disk

DAY_S = 24 * 3600
YEARS_10_S = 10 * 365 * DAY_S
NOW = Moment(wall_s=1_800_000_000, boot="one", up_s=1000)


def browsers(folder: Path, moment: Moment = NOW) -> Browsers:
    return Browsers(folder, Limits(), Clock(), lambda: moment)


def evening(folder: Path) -> tuple[str, str]:
    """The cookies of the host and of a player, after an evening whose service has stopped."""
    table = browsers(folder)
    host, _ = table.join("a", table.invitation.terminal, None)
    player, _ = table.join("b", table.invitation.token, None)
    table.sit(player, 1, take_over=True)
    table.close()
    return host, player


def roles(table: Browsers, *secrets: str) -> list[Role]:
    return [table.you(secret).role for secret in secrets]


def row(n: int, role: Role = Role.SPECTATOR, seat: int | None = None) -> StoredBrowser:
    return StoredBrowser(f"{n:064x}", role, seat, heard=NOW)


DAMAGES: dict[str, bytes] = {
    "empty": b"",
    "torn": b'[{"secret_hash":"00',
    "not json": b"\x00\xff\x00",
    "null": b"null",
    "deep": b"[" * 100_000,
    "two hosts": encoded((row(1, Role.HOST), row(2, Role.HOST))),
    "two on one seat": encoded((row(1, Role.PLAYER, 1), row(2, Role.PLAYER, 1))),
    "one twice": encoded((row(1), row(1))),
    "a player without a seat": encoded((row(1, Role.PLAYER),)),
    "a stranger": encoded((row(1, Role.STRANGER),)),
    "seat 7": encoded((row(1, Role.PLAYER, 1),)).replace(b'"seat":1', b'"seat":7'),
    "another role": encoded((row(1),)).replace(b"spectator", b"host"),
    "too many": encoded(tuple(row(n) for n in range(MOST_ROWS + 1))),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_from_a_damaged_file_the_copy_is_read_and_it_is_kept(tmp_path: Path, damage: str) -> None:
    host, player = evening(tmp_path)
    (tmp_path / FILE_NAME).write_bytes(DAMAGES[damage])
    again = browsers(tmp_path)
    assert roles(again, host, player) == [Role.HOST, Role.PLAYER]
    assert again.lost is None
    assert (tmp_path / f"{FILE_NAME}.damaged-1").read_bytes() == DAMAGES[damage]
    again.close()
    assert (tmp_path / FILE_NAME).read_bytes() == (tmp_path / COPY_NAME).read_bytes()


@pytest.mark.parametrize("damage", DAMAGES)
def test_where_nothing_can_be_read_only_the_terminal_makes_a_host(
    tmp_path: Path, damage: str
) -> None:
    old, _ = evening(tmp_path)
    for name in (FILE_NAME, COPY_NAME):
        (tmp_path / name).write_bytes(DAMAGES[damage])
    for start in range(2):
        again = browsers(tmp_path)
        assert again.lost == (tmp_path / f"{FILE_NAME}.damaged-1" if start == 0 else None)
        assert again.you(old).role is Role.STRANGER
        guest, role = again.join("b", again.invitation.token, None)
        again.show_token(guest, again.invitation.token)
        assert (role, again.you(guest).role) == (Role.SPECTATOR, Role.SPECTATOR)
        again.sit(guest, start, take_over=True)
        with pytest.raises(RefusedError, match="host_from_terminal"):
            again.hand_over(guest, None)
        again.close()
    again = browsers(tmp_path)
    assert again.join("a", again.invitation.terminal, None)[1] is Role.HOST
    again.close()


@pytest.mark.parametrize("gone", [FILE_NAME, COPY_NAME])
def test_one_of_the_two_files_is_enough(tmp_path: Path, gone: str) -> None:
    host, player = evening(tmp_path)
    (tmp_path / gone).unlink()
    assert roles(browsers(tmp_path), host, player) == [Role.HOST, Role.PLAYER]


def test_no_single_flipped_bit_makes_anybody_more_than_they_were(tmp_path: Path) -> None:
    host, player = evening(tmp_path)
    whole = (tmp_path / FILE_NAME).read_bytes()
    for at in range(0, len(whole), 3):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << (at % 8)
        for name in (FILE_NAME, COPY_NAME):
            (tmp_path / name).write_bytes(flipped)
        again = browsers(tmp_path)
        assert roles(again, host, player) in (
            [Role.HOST, Role.PLAYER],
            [Role.STRANGER, Role.STRANGER],
        ), at
        for aside in tmp_path.glob("*.damaged-*"):
            aside.unlink()


def test_a_file_that_may_not_be_read_is_damage_and_no_first_start(tmp_path: Path) -> None:
    for name in (FILE_NAME, COPY_NAME):
        (tmp_path / name).mkdir()  # reading it fails, by any user
    table = browsers(tmp_path)
    assert table.lost is not None
    assert table.join("a", table.invitation.token, None)[1] is Role.SPECTATOR


def test_the_file_of_an_older_version_is_read_and_keeps_one_host(tmp_path: Path) -> None:
    old = [
        {"secret_hash": f"{n:064x}", "role": role, "seat": seat}
        for n, (role, seat) in enumerate([("host", 0), ("player", 1), ("host", None)])
    ]
    (tmp_path / FILE_NAME).write_bytes(msgspec.json.encode(old))
    people = browsers(tmp_path).people()
    assert [(one.role, one.seat) for one in people.persons] == [
        (Role.PLAYER, 0),
        (Role.PLAYER, 1),
        (Role.HOST, None),
    ]


def test_an_older_version_reads_what_is_written(tmp_path: Path) -> None:
    class Browser(msgspec.Struct, frozen=True):
        secret_hash: str
        role: Role
        seat: int | None = None

    evening(tmp_path)
    rows = msgspec.json.decode((tmp_path / FILE_NAME).read_bytes(), type=tuple[Browser, ...])
    assert [(one.role, one.seat) for one in rows] == [(Role.HOST, None), (Role.PLAYER, 1)]


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
    host, player = evening(tmp_path)
    wanted = [Role.HOST, Role.PLAYER] if known else [Role.STRANGER, Role.STRANGER]
    assert roles(browsers(tmp_path, now), host, player) == wanted


def test_browsers_that_are_seen_stay_and_the_others_expire_while_the_service_runs(
    tmp_path: Path,
) -> None:
    clock = Clock()
    table = Browsers(tmp_path, Limits(), clock)
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
    evening(tmp_path)
    month = Moment(NOW.wall_s + 31 * DAY_S, "two", 5)
    for _ in range(2):  # a start at which nobody comes changes nothing
        table = browsers(tmp_path, month)
        table.close()
    table = Browsers(tmp_path, Limits(), Clock(), lambda: month)
    assert table.join("a", table.invitation.token, None)[1] is Role.HOST
    assert table.join("b", table.invitation.token, None)[1] is Role.SPECTATOR
    table.close()


def test_time_is_never_negative() -> None:
    assert passed_s(NOW, Moment(NOW.wall_s, "one", NOW.up_s - 5)) == 0


class Disk:
    """A disk that refuses, or blocks, until it is let go."""

    def __init__(self) -> None:
        self.refuses, self.written = False, [b""]
        self.tried, self.free = threading.Event(), threading.Event()
        self.free.set()

    def write(self, content: bytes) -> None:
        self.tried.set()
        assert self.free.wait(WITHIN_S)
        if self.refuses:
            raise OSError(28, "No space left on device")
        self.written.append(content)


def test_what_a_full_disk_refuses_is_written_once_it_takes_it() -> None:
    disk = Disk()
    disk.refuses = True
    clock = Clock()
    writer = BackgroundWriter(disk.write, retry_s=0.01, now=clock)
    writer.put(b"one")
    assert disk.tried.wait(WITHIN_S)
    assert writer.saved, "it may be soon"
    clock.move(SOON_S)
    assert not writer.saved
    writer.put(b"two")
    disk.refuses = False
    assert writer.flush(WITHIN_S)
    assert writer.saved
    assert disk.written[-1] == b"two"
    writer.close(WITHIN_S)


def test_while_the_disk_blocks_only_the_newest_content_waits() -> None:
    disk = Disk()
    disk.free.clear()
    writer = BackgroundWriter(disk.write)
    writer.put(b"first")
    assert disk.tried.wait(WITHIN_S)
    for n in range(100):
        writer.put(b"%d" % n)
    disk.free.set()
    writer.close(WITHIN_S)
    assert disk.written == [b"", b"first", b"99"]


def test_joining_and_sitting_do_not_wait_for_a_disk_that_blocks(tmp_path: Path) -> None:
    table = browsers(tmp_path)
    with blocking_disk() as free:
        host, role = table.join("a", table.invitation.terminal, None)
        table.sit(host, 0, take_over=True)
        table.count_stream(host, 1)
        assert (role, table.you(host).seat, table.phones()) == (Role.HOST, 0, {0: 1})
        assert not table.flush(0.05)
        free.set()
        assert table.flush(WITHIN_S)
    table.close()
    assert browsers(tmp_path).you(host).seat == 0


def test_a_guest_who_joins_while_the_folder_is_gone_is_known_and_written_later(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "data"
    table = browsers(folder)
    guest, _ = table.join("a", table.invitation.terminal, None)
    assert table.you(guest).role is Role.HOST
    folder.mkdir()
    assert table.flush(WITHIN_S)
    table.close()
    assert browsers(folder).you(guest).role is Role.HOST


def test_phones_see_that_joins_are_not_saved_and_that_they_are_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_writer, "SOON_S", 0.0)
    app = create_app(Settings(data=tmp_path))
    app_state, host = app_state_of(app), Phone(app)
    blocked = tmp_path / f"{FILE_NAME}.new"
    blocked.mkdir()  # no file can be written under this name
    host.join()
    assert not host.view().saved
    blocked.rmdir()
    assert app_state.browsers.flush(WITHIN_S)
    assert b'"saved":false' in app_state.hub.newest.after_you
    app_state.tick()
    assert b'"saved":true' in app_state.hub.newest.after_you
    assert host.view().saved
    app_state.close()

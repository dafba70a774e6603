"""Lost phones, a damaged or slow `browsers.json`, guessed codes, guests that take every place."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from companion.service.people import Browsers
from companion.service.people.browsers_file import COPY_NAME, FILE_NAME
from companion.service.settings import Limits
from companion.service.wire import Role
from companion.table import RefusedError
from tests.faults import Effort, Fault, Outcome
from tests.waiting import WITHIN_S, Clock, blocking_disk


def faults(effort: Effort) -> Iterator[Fault]:
    """Return every fault of this module."""
    damages = effort.choose(60, 20_000)
    yield Fault(
        f"{damages} damages of browsers.json",
        "no host by damage; from one damaged file everybody is known",
        lambda: _in_a_folder(lambda folder: _damaged(folder, damages)),
    )
    yield Fault(
        "a disk that does not answer while phones join",
        "everybody known at once ≤ 50 ms, and written when it answers",
        lambda: _in_a_folder(_blocked),
    )
    yield Fault(
        "a folder that cannot be written while phones join",
        "everybody known, written ≤ 5 s after it can be",
        lambda: _in_a_folder(_unwritable),
    )
    yield Fault(
        "wrong codes from 40 addresses",
        "30 a minute tried, every token still lets in",
        lambda: _in_a_folder(_guessed),
    )
    yield Fault(
        "one guest who joins 1,000 times",
        "6 seats, the host and whoever is new find room",
        lambda: _in_a_folder(_crowded),
    )


def _in_a_folder(inject: Callable[[Path], Outcome]) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        return inject(Path(folder))


def _evening(folder: Path) -> tuple[str, str]:
    """Return the cookies of the host and of a player of a stopped service."""
    table = Browsers(folder, Limits(), Clock())
    host, _ = table.join("a", table.invitation.terminal, None)
    player, _ = table.join("b", table.invitation.token, None)
    table.sit(player, 1, take_over=True)
    table.close()
    return host, player


def _damaged(folder: Path, damages: int) -> Outcome:
    """Tear, zero, overwrite or flip a bit of the file alone, or of it and its copy."""
    cookies = _evening(folder)
    whole, chance = (folder / FILE_NAME).read_bytes(), random.Random(7)
    known = hosts = lost = 0
    for n in range(damages):
        wrong = _some_damage(whole, chance)
        both = n % 2 == 1
        (folder / FILE_NAME).write_bytes(wrong)
        (folder / COPY_NAME).write_bytes(wrong if both else whole)
        table = Browsers(folder, Limits(), Clock())
        roles = [table.you(cookie).role for cookie in cookies]
        known += roles == [Role.HOST, Role.PLAYER]
        lost += both and roles == [Role.STRANGER, Role.STRANGER]
        hosts += table.join("c", table.invitation.token, None)[1] is Role.HOST
        table.close()
        for aside in folder.glob("*.damaged-*"):
            aside.unlink()
    single = (damages + 1) // 2
    seen = f"{known} times everybody known, {lost} nobody, {hosts} hosts made by damage"
    return Outcome(seen, known >= single and known + lost == damages and hosts == 0)


def _some_damage(whole: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(whole))
    end = min(len(whole), at + chance.randint(1, 40))
    flipped = bytes([whole[at] ^ (1 << chance.randrange(8))])
    return chance.choice(
        [
            whole[:at],
            whole[:at] + bytes(end - at) + whole[end:],
            whole[:at] + chance.randbytes(end - at) + whole[end:],
            whole[:at] + flipped + whole[at + 1 :],
        ]
    )


def _blocked(folder: Path) -> Outcome:
    """The disk takes nothing for as long as they join and sit down."""
    table = Browsers(folder, Limits(), Clock())
    with blocking_disk() as free:
        began, cookies = time.perf_counter(), []
        for seat in range(6):
            cookie, _ = table.join("a", table.invitation.terminal, None)
            table.sit(cookie, seat, take_over=True)
            cookies.append(cookie)
        took_ms = (time.perf_counter() - began) * 1000
        known = [table.you(cookie).seat for cookie in cookies]
        free.set()
        written = table.flush(WITHIN_S)
    table.close()
    again = Browsers(folder, Limits(), Clock())
    kept = [again.you(cookie).seat for cookie in cookies]
    seen = f"{took_ms:.1f} ms for six joins and seats, {len(set(kept))} of 6 written"
    ok = written and known == kept == list(range(6))
    return Outcome(seen, ok, took_ms <= 50)


def _unwritable(folder: Path) -> Outcome:
    """The folder is missing, so that nobody can write it; then it exists."""
    data = folder / "data"
    table = Browsers(data, Limits(), Clock())
    cookie, role = table.join("a", table.invitation.terminal, None)
    refused = not table.flush(0.2)
    data.mkdir()
    began = time.perf_counter()
    written = table.flush(WITHIN_S)
    took_s = time.perf_counter() - began
    table.close()
    kept = Browsers(data, Limits(), Clock()).you(cookie).role
    ok = refused and written and role is kept is Role.HOST
    return Outcome(f"written {took_s:.1f} s after it could be", ok, took_s <= 5)


def _guessed(folder: Path) -> Outcome:
    """Forty addresses try five codes each, and then the right one; then tokens are used."""
    table = Browsers(folder, Limits(), Clock())
    wrong = barred = 0
    for n in range(200):
        try:
            table.join(f"10.0.0.{n % 40}", None, f"WRONG{n % 8 + 2}")
        except RefusedError as refusal:
            wrong += refusal.key == "error.wrong_code"
            barred += refusal.key == "error.too_many_tries"
    let_in = 0
    for n in range(40):
        with suppress(RefusedError):
            table.join(f"10.0.0.{n}", table.invitation.token, None)
            let_in += 1
    table.close()
    seen = f"{wrong} codes tried, {barred} not looked at, {let_in} of 40 tokens let in"
    return Outcome(seen, (wrong, barred, let_in) == (30, 170, 40))


def _crowded(folder: Path) -> Outcome:
    """One address joins again and again, each time with a stream; others join after it."""
    clock = Clock()
    table = Browsers(folder, Limits(), clock)
    token = table.invitation.token
    host, _ = table.join("host", table.invitation.terminal, None)
    table.count_stream(host, 1, "host")
    for _ in range(1_000):
        with suppress(RefusedError):
            greedy, _ = table.join("greedy", token, None)
            table.count_stream(greedy, 1, "greedy")
    seats = 0
    for seat in range(6):
        guest, _ = table.join(f"guest {seat}", token, None)
        table.sit(guest, seat, take_over=True)
        seats += table.you(guest).seat == seat
    people = len(table.people().persons)
    table.close()
    ok = seats == 6 and table.you(host).role is Role.HOST and people <= Limits().browsers
    return Outcome(f"{seats} of 6 guests seated, {people} browsers known", ok)

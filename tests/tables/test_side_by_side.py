"""Two tables on one machine, a camera each: nothing of one is ever the other's."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from companion.service import wire
from companion.service.views.view import MONSTERS
from companion.tables.kept import Ended, Joining
from tests.network_camera import OneThrow, in_the_network
from tests.tables.running import Person, Running, name_tables, running

GAME = "new-york"
THROWS = {"window": 0, "bar": 1}


@dataclass
class Side:
    """One of the two tables, and its host."""

    name: str
    joining: Joining
    host: Person

    @property
    def url(self) -> str:
        return self.joining.url


@contextmanager
def two_tables(folder: Path, **cameras: str) -> Iterator[tuple[Running, Side, Side]]:
    """Run two tables, each with a game of players of its own names, and a roll awaited."""
    name_tables(folder / "data", **cameras)
    (folder / "run").mkdir()
    with running(folder / "data", folder / "run") as found:
        one, other = (Side(name, found.joining(name), Person()) for name in cameras)
        for side in (one, other):
            side.host.join(side.joining)
            start(side)
        yield found, one, other


def start(side: Side) -> None:
    """Start a game of three at this table, until the first roll is awaited."""
    seats = [{"player": f"{side.name} {n}", "monster": MONSTERS[n]} for n in range(3)]
    table = {"type": "TableSet", "game": GAME, "edition": "first", "seats": seats}
    side.host.say(side.url, "start-the-game", table, {"type": "GameStarted", "first": 0})
    for n in range(20):
        game = side.host.view(side.url).game
        assert game is not None
        assert game.question is not None
        if game.question.kind is wire.QuestionKind.ROLL:
            return
        options = [one.key for one in game.question.options if one.enabled]
        event = {"type": "Chosen", "seat": game.question.seat, "option": options[:1]}
        if options:
            event["option"] = options[0]
        else:
            event = {"type": "PutOff"}
        side.host.say(side.url, f"{side.name}-step-{n}", event)


def proposal_of(side: Side, secrets: tuple[bytes, ...]) -> wire.Proposal:
    """Wait for the proposal of a table on its stream; none of these may ever be in the stream."""
    with side.host.stream(side.url) as messages:
        for message in messages:
            assert [one for one in secrets if one in message] == []
            tray = msgspec.json.decode(message, type=wire.Update).view.tray
            if tray.proposal is not None:
                return tray.proposal
    raise AssertionError("the stream ended")


def secrets_of(side: Side) -> tuple[bytes, ...]:
    """What only this table's phones may ever get: names, code, tokens, address, run."""
    join = join_of(side)
    found = (side.url, f"{side.name} 0", join.code, join.url.partition("#")[2])
    return tuple(one.encode() for one in (*found, *side.host.cookies.values()))


def join_of(side: Side) -> wire.Join:
    """How further phones join this table, as its host sees it."""
    join = side.host.view(side.url).join
    assert join is not None
    return join


def test_no_reading_command_or_code_crosses(tmp_path: Path) -> None:
    throws = {name: OneThrow("test_new_york", number) for name, number in THROWS.items()}
    assert throws["window"].faces != throws["bar"].faces
    with ExitStack() as open_:
        cameras = {name: open_.enter_context(in_the_network(one)) for name, one in throws.items()}
        _, one, other = open_.enter_context(two_tables(tmp_path, **cameras))
        for mine, theirs in ((one, other), (other, one)):
            proposal = proposal_of(mine, secrets_of(theirs))
            assert Counter(str(die.face) for die in proposal.dice) == throws[mine.name].faces
            picture = mine.host.ask(mine.url, proposal.picture)
            assert picture[0] == 200
            assert mine.host.ask(theirs.url, proposal.picture)[0] == 403
            assert theirs.host.ask(theirs.url, proposal.picture) != picture
            assert join_of(mine).url.startswith(f"{mine.url}/j#")
            assert join_of(mine).table == mine.name
            refused_at(theirs, mine, proposal)


def refused_at(theirs: Side, mine: Side, proposal: wire.Proposal) -> None:
    """Whatever belongs to one table is refused at the other, and changes nothing."""
    before = theirs.host.view(theirs.url)
    assert mine.host.ask(theirs.url, "/api/state")[0] == 403
    health = msgspec.json.decode(Person().ask(theirs.url, "/api/health")[1])
    assert health["table"] == theirs.name
    (_, secret), *rest = mine.host.cookies.items()
    assert rest == []
    forged = Person({next(iter(theirs.host.cookies)): secret})
    assert forged.ask(theirs.url, "/api/state")[0] == 403
    for how in ({"token": mine.joining.join.partition("#")[2]}, {"code": mine.joining.code}):
        assert Person().ask(theirs.url, "/api/join", how)[0] == 403
    faces = [die.face for die in proposal.dice]
    roll = {"type": "DiceRolled", "faces": faces, "final": True}
    body = {"command_id": "crossing-over", "base_rev": before.rev, "events": [roll]}
    body["proposal_id"] = proposal.id
    assert mine.host.ask(theirs.url, "/api/commands", body)[0] == 403
    # A browser that has joined both sends both cookies to either; a page of one table is a
    # stranger's page at the other.
    both = Person({**mine.host.cookies, **theirs.host.cookies})
    assert both.ask(theirs.url, "/api/commands", body, origin=mine.url)[0] == 403
    assert both.update(mine.url).you == mine.host.update(mine.url).you
    assert theirs.host.view(theirs.url).rev == before.rev


def test_a_table_that_dies_or_hangs_is_started_again_and_the_other_goes_on(tmp_path: Path) -> None:
    with two_tables(tmp_path, window="none", bar="none") as (found, broken, other):
        lose_and_find(found, broken, other, signal.SIGKILL, Ended.DIED)
        lose_and_find(found, broken, other, signal.SIGSTOP, Ended.FROZEN)


def lose_and_find(
    found: Running, broken: Side, other: Side, number: signal.Signals, why: Ended
) -> None:
    """Send a signal to one table's process."""
    before = broken.host.update(broken.url)
    pid = found.pid(broken.name)
    with other.host.stream(other.url) as messages:
        first = msgspec.json.decode(next(messages), type=wire.Update)
        os.kill(pid, number)
        found.until(lambda: found.kept(broken.name).pid not in {pid, None})
        assert found.kept(broken.name).ended is why
        found.joining(broken.name)
        # The same stream of the same run of the other table goes on.
        assert first.view.undo is not None
        undone = {"type": "Undone", "seq": first.view.undo.seq}
        rev = other.host.say(other.url, f"while-{why}", undone)
        updates = (msgspec.json.decode(one, type=wire.Update) for one in messages)
        shown = next(update for update in updates if update.view.rev >= rev)
        assert (shown.run, found.kept(other.name).ended) == (first.run, None)
    after = broken.host.update(broken.url)
    assert (after.you.role, after.view.rev) == (before.you.role, before.view.rev)
    assert after.view.table == before.view.table
    assert after.run != before.run

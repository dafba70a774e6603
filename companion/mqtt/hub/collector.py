"""What the hub knows: the newest card of each table, and its rows as far as they have come.

Messages of the broker are taken in on one thread. What a table has and the hub lacks is asked
for, a page at a time.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import msgspec

from companion.mqtt.hub.ended import EndedGames, Key
from companion.mqtt.hub.forms import HubChange, TableLine
from companion.mqtt.hub.inbox import Inbox
from companion.mqtt.hub.results import EndedGame, decoded, result
from companion.mqtt.hub.store import Held, HubStore
from companion.mqtt.messages import ONLINE
from companion.mqtt.tables.forms import FORM, MOST_GAMES, Ask, GameList, Page, TableCard

MOST_TABLES: Final = 300
MOST_LISTED: Final = 1024
"""Games of one table that are known, the last used."""
ASK_AGAIN_S: Final = 5.0
LOOK_S: Final = 1.0
MOST_ORIGINS: Final = 8
MOST_REPLAYED: Final = 20_000
"""Rows of a game, which replayed take 2 KB each; a longer one has no result."""
MOST_REPLAYED_BYTES: Final = 32 * 1024 * 1024
SHOWN_DOUBLED_S: Final = 600.0
_CARD: Final = msgspec.json.Decoder(TableCard)
_PAGE: Final = msgspec.json.Decoder(Page)
_GAMES: Final = msgspec.json.Decoder(GameList)


@dataclass(slots=True)
class _Table:
    """One table as the hub knows it."""

    name: str
    card: TableCard | None = None
    online: bool = False
    changed_at: float = 0.0
    asked_at: float = -ASK_AGAIN_S
    asked: Ask | None = None
    list_next: int | None = 1
    """The place from which its games are to be listed next; None: all are known."""
    untold: int = 0
    """Games of that list whose newest hash the table has yet to find."""
    games: dict[str, int] = field(default_factory=dict)
    """How many rows each of its games has."""
    left: dict[str, None] = field(default_factory=dict)
    """Those whose rows are to be fetched, looked at or deleted, in this order."""
    held: Held = field(default_factory=Held)
    """What is held of the game on its card."""
    replaced: int = 0
    origins: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_ORIGINS))
    """Who published its cards, the last at the end."""
    doubled_at: float | None = None
    """When a card came from one who was not the last, and yet known."""


class Collector:
    """Takes messages of the broker in; `say` publishes one, `changed` is called where the page
    should show something else. `hear` may be called from any thread and does not wait.
    A fault ends its thread, and so the hub (`bound_process`): a frozen page must not look alive.
    """

    def __init__(
        self,
        store: HubStore,
        say: Callable[[str, bytes], None],
        changed: Callable[[], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._say, self._changed, self._now = store, say, changed, now
        self._heard = threading.Condition()
        self._inbox = Inbox()
        self._lock = threading.Lock()
        self._tables: dict[str, _Table] = {}
        self._ended = EndedGames()
        self._number, self._marks = 0, dict[str, int]()
        self._gone: dict[str, int] = {}
        """Tables whose cards were deleted, with the number at which."""
        self._results_mark = 0
        self._connected = self._full = self._too_many = self._closed = False
        self._take_kept_results()
        self._thread = threading.Thread(target=self._work, name="collect", daemon=True)
        self._thread.start()

    def _take_kept_results(self) -> None:
        dropped: list[Key] = []
        for table, log, encoded in self._store.results():
            with suppress(msgspec.MsgspecError):
                dropped += self._ended.put(EndedGame(table, log, decoded(encoded)))
        if dropped:
            with suppress(sqlite3.Error):  # the next start tries it again
                self._store.drop_results(dropped)

    # -- from the broker's thread ---------------------------------------------------------------

    def hear(self, table: str, kind: str, payload: bytes) -> None:
        """Take a message in soon; a newer `status` or `card` replaces one that still waits."""
        with self._heard:
            self._inbox.put(table, kind, payload)
            self._heard.notify()

    def connected(self, connected: bool) -> None:
        """Note whether the broker is there; after a break everything may be asked for again."""
        with self._lock:
            self._connected = connected
            self._number += 1
            for table in self._tables.values():
                table.list_next, table.asked_at = 1, -ASK_AGAIN_S
        self._changed()

    # -- for the page ---------------------------------------------------------------------------

    def since(self, number: int) -> HubChange:
        """Return what the page shows otherwise than at this number; all of it before the first."""
        with self._lock:
            tables = tuple(
                self._line(table)
                for name, table in sorted(self._tables.items())
                if self._marks.get(name, 0) > number and table.card is not None
            )
            gone = tuple(name for name, mark in self._gone.items() if mark > number >= 0)
            fresh = self._results_mark > number or number < 0
            shown, standing = self._ended.shown() if fresh else (None, None)
            now = self._number, self._connected, self._full, self._too_many
            dropped = self._store.has_dropped
        return HubChange(
            number=now[0],
            connected=now[1],
            full=now[2],
            too_many=now[3],
            dropped=dropped,
            tables=tables,
            gone=gone,
            results=shown,
            standings=standing,
        )

    def results_after(self, key: Key | None, count: int) -> list[EndedGame]:
        """Return so many results behind this one, by table and game; the first ones for None."""
        with self._lock:
            return self._ended.after(key, count)

    def close(self) -> None:
        """End the thread."""
        with self._heard:
            self._closed = True
            self._heard.notify()
        self._thread.join()

    def _line(self, table: _Table) -> TableLine:
        assert table.card is not None
        return TableLine(
            name=table.name,
            card=table.card,
            online=table.online,
            quiet_s=int(self._now() - table.changed_at),
            rows=table.held.chained,
            gaps=table.held.gaps,
            replaced=table.replaced,
            doubled=table.doubled_at is not None
            and self._now() - table.doubled_at < SHOWN_DOUBLED_S,
        )

    # -- on the thread of its own ---------------------------------------------------------------

    def _work(self) -> None:
        looked_at = self._now()
        while True:
            with self._heard:
                self._heard.wait_for(lambda: len(self._inbox) or self._closed, LOOK_S)
                if self._closed:
                    return
                waiting = self._inbox.take()
            for table, kind, payload in waiting:
                self._take(table, kind, payload)
            touched = {name for name, *_ in waiting}
            if self._now() - looked_at >= LOOK_S:
                looked_at, touched = self._now(), set(self._tables)
            self._ask_for_more(touched)
            if waiting:
                self._changed()

    def _take(self, name: str, kind: str, payload: bytes) -> None:
        """Take one message in; one of a wrong form, or of a form of the future, is left out."""
        with suppress(msgspec.MsgspecError, ValueError, RecursionError), self._lock:
            if kind == "card" and not payload:  # somebody has cleared it at the broker
                self._remove(name)
                return
            table = self._tables.get(name)
            if table is None:
                if kind not in {"status", "card"}:
                    return
                table = self._add_table(name)
            try:
                is_known = self._take_of(table, kind, payload)
            except sqlite3.Error:
                is_known = True
                self._disk_refuses()
            if is_known:
                self._number += 1
                self._marks[name] = self._number

    def _remove(self, name: str) -> None:
        """Forget a table whose card was deleted; its results stay."""
        if self._tables.pop(name, None) is None:
            return
        self._too_many = False  # until another card finds no place
        self._marks.pop(name, None)
        self._number += 1
        self._gone.pop(name, None)
        self._gone[name] = self._number
        if len(self._gone) > MOST_TABLES:
            del self._gone[next(iter(self._gone))]

    def _add_table(self, name: str) -> _Table:
        """Return a new table. Those without a card have as many places again; the oldest of them
        gives way: a status alone is no table of ours.
        """
        without = [one.name for one in self._tables.values() if one.card is None]
        if len(without) >= MOST_TABLES:
            del self._tables[without[0]]
            self._marks.pop(without[0], None)
        self._gone.pop(name, None)
        table = self._tables[name] = _Table(name, changed_at=self._now())
        return table

    def _take_of(self, table: _Table, kind: str, payload: bytes) -> bool:
        """Take a message of this table in; return whether it has a form that the hub knows."""
        match kind:
            case "status":
                online = payload == ONLINE
                if online:  # it may have been away for so short a time that nobody has heard of it
                    table.list_next = 1
                if online and not table.online:
                    table.asked_at = -ASK_AGAIN_S
                table.online = online
                return True
            case "card":
                return self._take_card(table, _CARD.decode(payload))
            case "games":
                return self._take_games(table, _GAMES.decode(payload))
            case _:
                return self._take_page(table, _PAGE.decode(payload))

    def _take_card(self, table: _Table, card: TableCard) -> bool:
        if card.form != FORM:
            return False
        if table.card is None and self._has_no_place():
            return False
        old, table.card = table.card, card
        if self._ended.call(table.name, card.title):
            self._results_mark = self._number = self._number + 1
        if card.origin and card.origin not in [*table.origins][-1:]:
            if card.origin in table.origins:  # a table that starts anew has a new one
                table.doubled_at = self._now()
                table.origins.remove(card.origin)
            table.origins.append(card.origin)
        if old is None or (card.log, card.rows) != (old.log, old.rows):
            table.changed_at = self._now()
        if old is not None and old.log != card.log and old.log in table.games:
            table.left[old.log] = None
        if old is None or old.log != card.log:  # others may have been played between two cards
            table.list_next = 1
        if len(table.games) > 2 * MOST_LISTED:
            table.games, table.left, table.list_next = {}, {}, 1
        table.games[card.log] = card.rows
        table.left[card.log] = None
        self._check_line(table, card)
        return True

    def _has_no_place(self) -> bool:
        """Return whether there are as many tables with cards as the hub takes, and show it."""
        if sum(one.card is not None for one in self._tables.values()) < MOST_TABLES:
            return False
        if not self._too_many:
            self._too_many = True
            self._number += 1
        return True

    def _take_games(self, table: _Table, listed: GameList) -> bool:
        if listed.form != FORM or listed.first not in {1, table.list_next}:
            return False
        if listed.first == 1:
            played = table.card
            table.games = {} if played is None else {played.log: played.rows}
            table.left = dict.fromkeys(table.games)
        untold = sum(game.tip is None for game in listed.games)
        again = listed.total is not None and untold and table.asked == Ask(None, listed.first)
        last = listed.first + len(listed.games) - 1
        for game in listed.games:
            if table.card is not None and game.log == table.card.log:
                continue
            table.games[game.log] = game.rows
            table.left[game.log] = None
            if game.tip is not None:
                replaced = self._store.check(table.name, game.log, game.rows, game.tip)
                self._note_replaced(table, game.log, replaced)
        table.asked_at = -ASK_AGAIN_S
        if again and not 0 < table.untold <= untold:
            table.list_next, table.untold = listed.first, untold
        elif listed.games and last < min(listed.total or 0, MOST_LISTED):
            table.list_next, table.untold = last + 1, 0
        else:
            table.list_next, table.untold = None, 0
            if last == (listed.total or 0) or (listed.total is None and last < MOST_GAMES):
                self._forget_others(table)
        return True

    def _forget_others(self, table: _Table) -> None:
        """Forget the games that the table no longer has."""
        for log in self._store.games(table.name) - table.games.keys():
            self._store.forget(table.name, log)
            self._drop_result(table, log)

    def _take_page(self, table: _Table, page: Page) -> bool:
        if page.form != FORM or page.log not in table.games:
            return False
        before = self._store.held(table.name, page.log).chained
        accepted = self._store.accept(table.name, page)
        if accepted.new:
            self._full = False
        self._note_replaced(table, page.log, accepted.replaced)
        if self._store.held(table.name, page.log).chained > before:
            table.asked_at = -ASK_AGAIN_S
        if table.card is not None and table.card.log == page.log:
            self._check_line(table, table.card)
        else:
            table.games[page.log] = page.total
            table.left[page.log] = None
        return True

    def _check_line(self, table: _Table, card: TableCard) -> None:
        """Forget what is held of the game on the card where the table has another line of it, and
        its result where it goes on.
        """
        replaced = self._store.check(table.name, card.log, card.rows, card.tip)
        self._note_replaced(table, card.log, replaced)
        if card.reason is None and (table.name, card.log) in self._ended:
            self._drop_result(table, card.log)
            self._store.forget_result(table.name, card.log)
        table.held = self._store.held(table.name, card.log)

    def _note_replaced(self, table: _Table, log: str, rows: int) -> None:
        """Count rows that the table has otherwise, and drop the result that they made."""
        table.replaced += rows
        if rows:
            self._drop_result(table, log)

    def _drop_result(self, table: _Table, log: str) -> None:
        if self._ended.drop((table.name, log)):
            self._results_mark = self._number = self._number + 1

    def _ask_for_more(self, names: set[str]) -> None:
        """Ask these tables for what the hub lacks, one thing at a time; find results of games that
        are whole.
        """
        asks: list[tuple[str, Ask]] = []
        whole: list[tuple[_Table, str]] = []
        with self._lock:
            for table in filter(None, map(self._tables.get, names)):
                try:
                    ask = self._lacking(table, whole)
                except sqlite3.Error:
                    self._disk_refuses()
                    continue
                if ask is None or not table.online:
                    continue
                if self._now() - table.asked_at >= ASK_AGAIN_S:
                    if ask == table.asked and ask.log in table.left:
                        table.left[ask.log] = table.left.pop(ask.log)  # the others are not kept up
                    table.asked_at, table.asked = self._now(), ask
                    asks.append((table.name, ask))
        for name, ask in asks:
            self._say(name, msgspec.json.encode(ask))
        for table, log in whole:
            self._find_result(table, log)

    def _lacking(self, table: _Table, whole: list[tuple[_Table, str]]) -> Ask | None:
        """Return what to ask the table for: the game on its card first, then the list, then others.
        Put games that may have ended since they were last looked at into `whole`.
        """
        if table.card is not None and table.held.chained < table.card.rows:
            return Ask(table.card.log, table.held.chained + 1)
        if table.list_next is not None:
            return Ask(None, table.list_next)
        for log in list(table.left):
            held = self._store.held(table.name, log)
            if held.chained < table.games[log]:
                return Ask(log, held.chained + 1)
            is_on_card = table.card is not None and log == table.card.log
            if not self._store.is_looked_at(table.name, log):
                if not (is_on_card and table.card is not None and table.card.reason is None):
                    whole.append((table, log))
                    continue
            elif not is_on_card:
                self._store.prune(table.name, log)
            del table.left[log]
        return None

    def _find_result(self, table: _Table, log: str) -> None:
        """Keep the result of a game whose rows are all here; none where it has not ended."""
        refused = False
        try:
            rows = self._store.rows(table.name, log)
            found = None if self._is_too_long(table.name, log) else result(log, rows)
        except sqlite3.Error:
            with self._lock:
                self._disk_refuses()
            return
        try:
            encoded = b"" if found is None else msgspec.json.encode(found)
            self._store.put_result(table.name, log, encoded)
        except sqlite3.Error:
            refused = True
        with self._lock:
            if refused:
                self._disk_refuses()
            if found is None:
                self._drop_result(table, log)
            else:
                dropped = self._ended.put(EndedGame(table.name, log, found))
                self._results_mark = self._number = self._number + 1
                self._drop_oldest(dropped)
        self._changed()

    def _is_too_long(self, table: str, log: str) -> bool:
        """Return whether a game has more rows than the hub's memory has room to replay."""
        return (
            self._store.held(table, log).chained > MOST_REPLAYED
            or self._store.bytes_of(table, log) > MOST_REPLAYED_BYTES
        )

    def _drop_oldest(self, games: list[Key]) -> None:
        """Delete the results of these games, which others have taken the place of."""
        if games:
            try:
                self._store.drop_results(games)
            except sqlite3.Error:
                self._disk_refuses()

    def _disk_refuses(self) -> None:
        """Show that the store fails, until it takes rows again."""
        if not self._full:
            self._full = True
            self._number += 1

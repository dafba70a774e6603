"""The camera: the one it starts with, and one that is plugged in while it has none. Demo dice
in its place, with a game to try them in.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Final

from companion.demo.source import DemoTray, has_dice
from companion.engine import RULESETS, Reveal
from companion.redaction import shown_source
from companion.service.dice.set_up import DiceSetup
from companion.service.dice.tray import TrayController
from companion.service.people import Browsers
from companion.service.views.view import MONSTERS
from companion.service.wire import Role
from companion.service.workers import Workers
from companion.table import (
    GameStarted,
    Input,
    RefusedError,
    SeatSetup,
    Submission,
    Table,
    TableSet,
    Undone,
)
from companion.virtual import random_event
from companion.vision.readings import CameraState, SourceError
from companion.vision.sources.cameras import FoundCamera, find_cameras, find_usb_cameras
from companion.vision.sources.kinds import FrameSource, parse_source

AUTO, NONE = "auto", "none"
"""SOURCEs: the first usable camera of this machine; no camera, and none is offered."""
SEATS: Final = 2
"""Of a demo game."""
PLACE: Final = "place"
"""The key of the question where a Monster starts."""
Find = Callable[[], tuple[FoundCamera, ...]]


class Cameras:
    """Chooses the source that a table starts with, and looks for a camera that comes later.

    `chosen` is SOURCE as the command line has it. `find` lists the machine's cameras, and
    `find_later` those that may have been plugged in since.
    """

    def __init__(
        self, chosen: str, find: Find = find_cameras, find_later: Find = find_usb_cameras
    ) -> None:
        self._chosen, self._find_later = chosen, find_later
        self.found = find() if chosen == AUTO else ()
        """The machine's cameras at the start, the usable ones first; only with `auto`."""
        self._offered: FoundCamera | None = None
        self._workers = Workers("cameras", 1)

    @property
    def name(self) -> str:
        """The name of the camera at the start; empty if there is none."""
        if self._chosen == AUTO:
            return self.found[0].name if self.found else ""
        return "" if self._chosen == NONE else shown_source(self._chosen)

    @property
    def offered(self) -> str:
        """The name of a camera that was plugged in and is not used; empty if there is none."""
        return self._offered.name if self._offered is not None else ""

    def source(self) -> FrameSource | None:
        """Return the source to start with; None without one. SourceError if it does not exist."""
        if self._chosen != AUTO:
            return parse_source(self._chosen)
        if not self.found or self.found[0].problem:
            return None
        return parse_source(self.found[0].source)

    def tick(self, state: CameraState, used: FrameSource | None) -> None:
        """Look for another camera while the table has none that works. Called every second."""
        is_wanted = self._chosen != NONE and state in (CameraState.NONE, CameraState.LOST)
        if is_wanted:
            self._workers.do_if_idle(self.look, used)
        else:
            self._offered = None

    def look(self, used: FrameSource | None) -> None:
        """Offer the first usable camera that is not the one in use."""
        usable = (one for one in self._find_later() if not one.problem)
        self._offered = next((one for one in usable if _opened(one) not in (None, used)), None)

    def take(self) -> FrameSource:
        """Return the source of the camera that is offered. RefusedError if it is gone."""
        source = _opened(self._offered) if self._offered is not None else None
        if source is None:
            raise RefusedError("error.camera.gone", outdated=True)
        self._offered = None
        return source


def _opened(camera: FoundCamera) -> FrameSource | None:
    try:
        return parse_source(camera.source)
    except SourceError:  # unplugged again meanwhile
        return None


class Demo:
    """Puts demo dice into one table's tray, and begins a game for them.

    The seats of a demo game have no names: phones show their Monsters, and statistics leave it out.
    Nobody has its cards and tiles on a table, so those that would be turned up are drawn by chance,
    and so are the places where the Monsters start.
    """

    def __init__(
        self,
        table: Table,
        tray: TrayController,
        setup: DiceSetup,
        browsers: Browsers,
    ) -> None:
        self._table, self._tray, self._setup, self._browsers = table, tray, setup, browsers
        self._before: FrameSource | None = None
        self._lock = threading.Lock()
        self._chance = Random()

    def turn_on(self, secret: str | None = None) -> None:
        """Put demo dice into the tray, begin a game if none runs, and seat the host."""
        game = self._playable(None)
        with self._lock:
            if not self._tray.demo:
                self._before = self._tray.camera.setup.source
                self._use(DemoTray())
        if not self._is_under_way():
            self._begin(game)
        self.seat_host(secret)

    def begin(self, game: str | None = None) -> None:
        """Begin a demo game of this box, unless one runs; RefusedError without demo dice of it."""
        wanted, setup = self._playable(game), self._table.snapshot().state.setup
        is_its = setup is not None and setup.game == wanted
        if not (is_its and self._is_under_way() and self._is_played()):
            self._begin(wanted)

    def turn_off(self) -> None:
        """Read the camera of before again; a game under way goes on with real dice."""
        with self._lock:
            if self._tray.demo:
                self._use(self._before)

    def seat_host(self, secret: str | None) -> None:
        """Give the first seat of a demo game to the host, if it is free and the host has none."""
        you = self._browsers.you(secret)
        if secret and you.role is Role.HOST and you.seat is None and self._is_played():
            with suppress(RefusedError):  # it is taken
                self._browsers.sit(secret, 0, take_over=False)

    def follow(self) -> bool:
        """Turn up a card or tile that a demo game asks for, or place a Monster before the first
        roll; whether it did. What was undone stays undone.
        """
        snapshot = self._table.snapshot()
        position = snapshot.state.position
        question = position.question if position is not None else None
        is_asked = isinstance(question, Reveal) or (question is not None and question.key == PLACE)
        if not is_asked or not self._is_played():
            return False
        if snapshot.entries and isinstance(snapshot.entries[-1].event, Undone):
            return False
        assert position is not None
        try:
            self._submit(random_event(position, self._chance, 0.0))
        except RefusedError:  # answered meanwhile
            return False
        return True

    def _playable(self, game: str | None) -> str:
        """Return the box, by default the one on the table; RefusedError without demo dice of it."""
        found = game or self._tray.game
        if not has_dice(found):
            raise RefusedError("error.demo.no_dice")
        return found

    def _is_under_way(self) -> bool:
        game = self._table.snapshot().state.game
        return game is not None and game.ended is None

    def _use(self, source: FrameSource | None) -> None:
        self._tray.use_source(source)
        self._setup.read_with_boxes()

    def _is_played(self) -> bool:
        """Whether demo dice are in the tray and the game under way is a demo's."""
        setup = self._table.snapshot().state.setup
        is_nameless = setup is not None and not any(seat.player for seat in setup.seats)
        return is_nameless and self._tray.demo and self._table.snapshot().state.game is not None

    def _begin(self, game: str) -> None:
        """Begin a game of two in the edition and with the house rules that are chosen."""
        setup = self._table.snapshot().state.setup
        if setup is not None and setup.game != game:
            setup = None
        edition = setup.edition if setup is not None else RULESETS[game].editions[0]
        house = setup.house if setup is not None else ()
        seats = tuple(SeatSetup("", monster) for monster in MONSTERS[:SEATS])
        self._submit(TableSet(game, edition, seats, house), GameStarted(0))

    def _submit(self, *events: Input) -> None:
        command_id = f"demo-{secrets.token_hex(8)}"
        self._table.submit(Submission(command_id, self._table.snapshot().rev, events))

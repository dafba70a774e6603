"""What all parts of one running service share: table, browsers, camera, stream."""

from __future__ import annotations

import fcntl
import secrets
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from companion import engine
from companion.eventlog import CannotOpenError, EventLog
from companion.service import wire
from companion.service.addresses import number_of, own_names
from companion.service.announced import Announced
from companion.service.hub import Hub
from companion.service.past import Past
from companion.service.people import Browsers
from companion.service.settings import Settings
from companion.service.tray import Tray
from companion.service.unknown_host import UnknownHost
from companion.service.view import Views
from companion.service.wire import Words
from companion.service.workers import Workers
from companion.table import Snapshot, Table
from companion.vision.messages import Setup
from companion.vision.sources import Source, source

LOCK_NAME = "lock"


class DataInUseError(Exception):
    """Another service has this data folder open."""


class Desk:
    """The running service; `camera` is looked at in place of the one that `settings` names.

    Raises CannotOpenError, DataInUseError and SourceError where it cannot be.
    """

    def __init__(self, settings: Settings, camera: Source | None = None) -> None:
        self.settings = settings
        self.names = own_names((*settings.names, *_spoken_of(settings)))
        self.cookie = f"monster_table_{settings.port}"
        camera = camera or source(settings.camera)
        self._claim = _claimed(settings.data)
        try:
            self.log = EventLog(settings.data)
        except CannotOpenError:
            self._claim.close()
            raise
        self.table = Table(self.log)
        self.past = Past(self.table)
        self.browsers = Browsers(settings.data, settings.limits)
        self._seat(self.table.snapshot())
        self.hub = Hub(secrets.token_hex(4), settings.limits.streams_per_address)
        self.addresses = Announced(settings)
        self.unknown_host = UnknownHost()
        self._views = Views(settings.game or self._last_game(), anyone=settings.anyone_may_edit)
        self._publishing = threading.Lock()
        self._streams = Workers("streams", 1)
        setup = Setup(camera, self._views.game, profile=settings.profile)
        self.tray = Tray(self.table, setup, self.publish, settings.patience)
        self.table.subscribe(self._follow)
        self.addresses.subscribe(self.publish)
        self.publish()

    @property
    def base_url(self) -> str:
        """How phones call this machine; it follows a change of the address."""
        return self.addresses.best

    def join_url(self, token: str) -> str:
        """The address in a QR code: the token stands in the fragment, so no log ever sees it."""
        return f"{self.base_url}/j#{token}"

    def publish(self) -> None:
        """The newest view goes to everybody who listens."""
        with self._publishing:
            self.hub.publish(msgspec.json.encode(self.view()))

    def listening(self, secret: str, change: int, address: str | None = None) -> None:
        """A stream of this browser opened (+1) or ended (-1); noted soon, never waited for."""
        self._streams.submit(self._listens, secret, change, address)

    def _listens(self, secret: str, change: int, address: str | None) -> None:
        """Everybody sees whether this browser listens."""
        before = self.browsers.people()
        self.browsers.listening(secret, change, address)
        if self.browsers.people() != before:
            self.publish()

    def update(self, secret: str | None) -> wire.Update:
        """The newest view for one browser."""
        return wire.Update(you=self.browsers.you(secret), view=self.view())

    def view(self) -> wire.View:
        """The whole truth for a phone, now."""
        snapshot, invitation = self.table.snapshot(), self.browsers.invitation
        shown = self._views.of(snapshot, self.browsers.phones())
        return wire.View(
            rev=snapshot.rev,
            table=snapshot.table,
            saved=snapshot.saved,
            lobby=shown.lobby,
            game=self._with_notices(shown.game, pinned=snapshot.state.pinned),
            tray=self.tray.view(snapshot),
            log=shown.log,
            undo=shown.undo,
            redo=shown.redo,
            join=wire.Join(
                url=self.join_url(invitation.token),
                code=invitation.code,
                address=self.base_url,
                addresses=self.addresses.urls,
                open=invitation.open,
            ),
            people=self.browsers.people(),
            now=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def log_rows(self) -> tuple[wire.LogRow, ...]:
        """The whole log of the table, oldest first."""
        return self._views.rows(self.table.snapshot())

    def close(self) -> None:
        """Camera and log are closed, and who has joined is written."""
        self._streams.shutdown()
        self.addresses.close()
        self.tray.close()
        self.browsers.close()
        self.table.close()
        self._claim.close()

    def _with_notices(self, game: wire.GameView | None, *, pinned: bool) -> wire.GameView | None:
        """What happened to the log stands before everything else a table may forget."""
        if game is None or not (pinned or self.log.losses):
            return game
        said = [
            Words(key="reminder.rows_lost", args={"count": loss.lost, "kept": loss.kept})
            for loss in self.log.losses
        ]
        said += [Words(key="reminder.pinned")] if pinned else []
        notices = (wire.Reminder(id=words.key, sign="warning", words=words) for words in said)
        return replace(game, reminders=(*notices, *game.reminders))

    def _follow(self) -> None:
        """After every change of the table."""
        snapshot = self.table.snapshot()
        self._seat(snapshot)
        self.tray.follow(snapshot)
        self.publish()

    def _seat(self, snapshot: Snapshot) -> None:
        """Browsers keep the seats of their Monsters."""
        setup, game = snapshot.state.setup, snapshot.state.game
        monsters = tuple(seat.monster for seat in setup.seats) if setup is not None else ()
        seats = len(game.monsters) if game is not None else None
        self.browsers.follow(snapshot.table, snapshot.rev, monsters, seats)

    def _last_game(self) -> str:
        """The box that lay on the table last, else the first there is."""
        setup = self.table.snapshot().state.setup
        return setup.game if setup is not None else next(iter(engine.RULESETS))


def _spoken_of(settings: Settings) -> tuple[str, ...]:
    """The hosts that the settings name: the advertised one, and a name that is listened at."""
    advertised = urlsplit(settings.advertise).hostname if settings.advertise else None
    listening = settings.host if number_of(settings.host) is None else None
    return tuple(host for host in (advertised, listening) if host)


def _claimed(folder: Path) -> TextIO:
    """The folder is this service's for as long as the file is open: a log has one writer."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        claim = (folder / LOCK_NAME).open("w")
    except OSError as refusal:
        raise CannotOpenError(folder / LOCK_NAME, refusal.strerror or str(refusal)) from refusal
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as taken:
        claim.close()
        raise DataInUseError(str(folder)) from taken
    return claim

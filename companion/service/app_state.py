"""The state of one running service, shared by all routes: table, browsers, camera, streams."""

from __future__ import annotations

import secrets
import threading
import time
from concurrent.futures import wait
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from companion import engine
from companion.demo.source import DemoTray
from companion.forecast.process import ForecastProcess
from companion.service import wire
from companion.service.dice.auto_apply import AutoApply
from companion.service.dice.cameras import NONE, Cameras, Demo
from companion.service.dice.set_up import DiceSetup
from companion.service.dice.shelf import BoxShelf
from companion.service.dice.tray import TrayController
from companion.service.hub import Hub, NumberedView, update_for
from companion.service.machine.addresses import PhoneAddresses, own_names, parse_ip
from companion.service.machine.joining import Arrivals, WifiCode
from companion.service.machine.monitor import Monitor
from companion.service.people import Browsers
from companion.service.people.gate import ViewTokens
from companion.service.people.names import CardNames, check_all_named, with_clean_names
from companion.service.people.rights import check_may_send
from companion.service.records.archive import Archive
from companion.service.records.stories import Stories
from companion.service.records.tallies import TallyBook
from companion.service.requests import Command, LogAnswer
from companion.service.settings import Settings
from companion.service.views.news import IdentityCache
from companion.service.views.past import PastGames
from companion.service.views.score_audit import ScoreAudit
from companion.service.views.view import MONSTERS, Views
from companion.service.wire import Words
from companion.service.workers import TurnCopies, Workers
from companion.table import Input, RefusedError, SeatSetup, Snapshot, Submission, Table, TableSet
from companion.table.database import CannotOpenError
from companion.table.log import EventLog, FolderLock
from companion.vision.box import Profile, rules_of
from companion.vision.messages import CameraSetup
from companion.vision.sources.kinds import FrameSource

BOXES = "boxes"
"""The folder of the boxes of dice, in the data folder."""
Beside = tuple[wire.People, wire.Join, bool, tuple[wire.LogNotice, ...], str]
"""What a view shows beside table and tray, which nothing tells of when it changes: who is here, how
to join, whether that is saved, notices, and the name of a camera that was plugged in."""
CLOSE_S = 1.0
"""Longest wait for a disk that blocks when the log is closed."""


class AppState:
    """The state of a running service; `camera` replaces the source that `settings` names.

    Raises CannotOpenError (the log), DataInUseError (the folder) or SourceError (the camera).
    """

    def __init__(self, settings: Settings, camera: FrameSource | None = None) -> None:
        self.settings = settings
        self.names = own_names((*settings.names, *_configured_hosts(settings)))
        self.cookie = f"monster_table_{settings.port}"
        self.cameras = Cameras(NONE if settings.safe else settings.camera)
        camera = camera or self.cameras.source()
        self.folder_lock = FolderLock(settings.data)
        try:
            self.log = EventLog(settings.data, claim=self.folder_lock.take)
        except CannotOpenError:
            self.folder_lock.release()
            raise
        self.table = Table(self.log)
        self.browsers = Browsers(self.log, settings.limits)
        self.view_tokens = ViewTokens(self.log)
        self._update_seats(self.table.snapshot())
        self.addresses = PhoneAddresses(settings, self.log)
        self.wifi = WifiCode(self.log, settings.wifi)
        self.card_names = CardNames(self.log)
        self.machine = Monitor(settings)
        self.arrivals = Arrivals(settings.limits.late_s)
        self._views = Views(settings.game or self._last_game())
        self.past_games = PastGames(self.table, self.log)
        self.tallies = TallyBook(self.table, self.log)
        self.archive = Archive(self.table, self.log, self.tallies)
        self.score_audit = ScoreAudit(self.table, self.log)
        self.forecasts = ForecastProcess(
            settings.networks, settings.patience, refusal="error.safe_mode" if settings.safe else ""
        )
        self.stories = Stories(self.table, self.log, settings.networks, self.forecasts)
        self._logs = IdentityCache[Snapshot, bytes](1)
        self._numbering = threading.Lock()
        self._saving = Workers("saving", 1)
        self._copies = TurnCopies(self.log)
        shelf = BoxShelf(settings.data / BOXES)
        is_demo = isinstance(camera, DemoTray)
        profile = Profile() if is_demo else shelf.profile(settings.profile)
        camera_setup = CameraSetup(
            camera,
            rules_of(self._views.game),
            profile=profile,
            learned=profile.played,
            boxes=() if is_demo else shelf.others(),
        )
        self.tray = TrayController(self.table, camera_setup, self._see, settings.timeouts)
        self.auto_apply = AutoApply(
            self.table, self.tray.seen, self.publish, settings.limits.fuse_s
        )
        self.setup = DiceSetup(self.tray, shelf, settings.profile)
        self.demo = Demo(self.table, self.tray, self.setup, self.browsers)
        self._run, self._number = secrets.token_hex(4), 0
        self._beside = self._beside_now()
        self._listed, self._people_since = wire.People(), 0
        self.hub = Hub(self._numbered(self._beside))
        self.table.subscribe(self._follow)

    @property
    def base_url(self) -> str:
        """The URL of this machine for phones; it follows a change of address."""
        return self.addresses.best

    def publish(self) -> None:
        """Send the newest view to every listener."""
        with self._numbering:
            self._beside = self._beside_now()
            self.hub.publish(self._numbered(self._beside))

    def publish_beside(self) -> None:
        """Publish if what is shown beside table and tray has changed."""
        if self._beside_now() != self._beside:
            self.publish()

    def _beside_now(self) -> Beside:
        browsers, invitation, urls = self.browsers, self.browsers.invitation, self.addresses.urls
        join = wire.Join(
            url=f"{urls[0]}/j#{invitation.token}",  # in the fragment, which no server logs
            code=invitation.code,
            address=urls[0],
            addresses=urls,
            open=invitation.open,
            late=self.arrivals.late(browsers.addresses()),
            table=self.settings.title,
            wifi=self.wifi.shown,
        )
        saved = self.log.state_saved
        return browsers.people(), join, saved, self.notices(), self.cameras.offered

    def tick(self) -> None:
        """Save what waits, and publish what changes by itself: who listens, free seats. Called
        every second.
        """
        if self.table.needs_saving:
            self._saving.do_if_idle(self.table.save)
        self.browsers.tick()
        self.setup.tick()
        self.machine.tick()
        self.addresses.tick()
        self.cameras.tick(self.tray.camera.state, self.tray.camera.setup.source)
        self.publish_beside()

    def update(self, secret: str | None) -> wire.Update:
        """Return the newest view for one browser."""
        with self._numbering:
            numbered = self._numbered(self._beside_now())
        return update_for(self.browsers.you(secret), numbered)

    def _numbered(self, beside: Beside) -> NumberedView:
        """Make a view; called with the lock, so that a view of a higher number is made later."""
        people, join, saved, notices, found = beside
        self._number += 1
        if people != self._listed:
            self._listed, self._people_since = people, self._number
        snapshot = self.table.snapshot()
        shown = self._views.of(snapshot, self.browsers.phones(), self.table.whole(snapshot))
        view = wire.View(
            rev=snapshot.rev,
            table=snapshot.game_id,
            saved=snapshot.saved and saved,
            notices=notices,
            lobby=shown.lobby,
            game=shown.game,
            tray=self.tray.view(snapshot, self.setup.in_use(), self.auto_apply.view(), found),
            log=shown.log,
            undo=shown.undo,
            redo=shown.redo,
            join=join,
            people=people,
        )
        return NumberedView(
            self._run, self._number, view, self._people_since, shown.question, shown.ahead
        )

    def submit(self, you: wire.You, command: Command) -> int:
        """Apply all events of the command, or none of them; return the revision after it.
        RefusedError says why not.
        """
        events = tuple(map(_cleaned, command.events))
        known = self.table.rev_of(command.command_id, events)
        if known is not None:  # before rights, which may have gone to another seat since
            return known
        snapshot = self.table.snapshot()
        check_may_send(you, events, snapshot)
        check_all_named(events, snapshot.state.setup)
        if command.proposal_id is not None and command.base_rev == snapshot.rev:
            self.tray.check_open(command.proposal_id, snapshot)
        rev = self.table.submit(
            Submission(
                command.command_id,
                command.base_rev,
                events,
                who="" if you.seat is None else str(you.seat),
                game_id=command.table,
            )
        )
        for seq in range(rev - len(events) + 1, rev + 1):
            self.tray.teach(command.proposal_id, seq)
        return rev

    def sit(self, secret: str, wish: SeatSetup) -> None:
        """Give the browser a seat before a game: its own, changed as it wishes; else the one that
        waits for this name; else one without a name; else a new one. RefusedError if the table has
        started, has no room, or somebody has the name or the Monster.

        Routes of this kind are answered one after the other: only a command can come between.
        """
        wish = _cleaned_seat(wish)
        if not wish.player:
            raise RefusedError("error.name_blank")
        while True:
            snapshot, taken = self.table.snapshot(), self.browsers.phones()
            own = self.browsers.you(secret).seat
            if snapshot.state.game is not None:
                raise RefusedError("error.already_started", outdated=True)
            setup = self._views.setup_at(snapshot, taken)
            free = {
                seat.player.casefold(): n
                for n, seat in reversed([*enumerate(setup.seats)])
                if n not in taken
            }
            waits = free.get(wish.player.casefold(), free.get("", len(setup.seats)))
            at = waits if own is None else own
            seats = (*setup.seats[:at], wish, *setup.seats[at + 1 :])
            events = (replace(setup, seats=seats),)
            command_id = f"sit-{secrets.token_hex(8)}"
            try:
                self.table.submit(Submission(command_id, snapshot.rev, events, who=str(at)))
            except RefusedError as refused:
                if refused.key != "error.stale":
                    raise
                continue
            self.browsers.sit(secret, at, take_over=False)
            return

    def log_answer(self) -> bytes:
        """Return the table's whole log, oldest first: a `LogAnswer` in JSON, encoded once."""
        snapshot = self.table.snapshot()

        def encoded() -> bytes:
            return msgspec.json.encode(LogAnswer(rows=self._views.rows.all(snapshot)))

        return self._logs.of((snapshot,), encoded)

    def notices(self) -> tuple[wire.LogNotice, ...]:
        """Return what the host has not seen yet of the log's and the machine's notices."""
        of_the_log = (
            wire.LogNotice(id=one.id, words=Words(key=one.key, args=one.args))
            for one in self.log.notices
        )
        return (*self.machine.notices, *of_the_log)

    def mark_seen(self, notice: str) -> None:
        """Hide a notice that the host has seen."""
        if not self.machine.mark_seen(notice):
            self.table.mark_seen(notice)

    def close(self) -> None:
        """Close the camera and the log, without waiting for a disk that blocks.

        The folder stays locked until the log and its copy are closed, or the process has ended.
        """
        until = time.monotonic() + CLOSE_S
        # A fuse that burned down now would show a row that the log does not have.
        self.auto_apply.close()
        self.browsers.close()
        ending = Workers("ending", 1)
        closed = ending.submit(self.table.close)
        ending.submit(self._copies.close)
        released = ending.submit(self.folder_lock.release)
        self.tallies.close()
        self.forecasts.close()
        self.tray.close()
        wait((released,), max(0.0, until - time.monotonic()))
        if closed.done():
            closed.result()

    def _see(self) -> None:
        """Publish after every change of the tray."""
        self.auto_apply.follow()
        self.publish()

    def _follow(self) -> None:
        """Publish after every change of the table."""
        if self.demo.follow():
            return  # it changed the table again
        snapshot = self.table.snapshot()
        self._copies.follow(snapshot)
        self.tallies.follow()
        self.stories.follow()
        self._update_seats(snapshot)
        self.tray.follow(snapshot)
        self.auto_apply.follow()
        self.publish()

    def _update_seats(self, snapshot: Snapshot) -> None:
        """Pass the Monsters at each seat to the browsers, so that they keep their seats."""
        setup, game = snapshot.state.setup, snapshot.state.game
        at = setup.seats if setup is not None else ()
        monsters, players = (tuple(seat.monster for seat in at), tuple(seat.player for seat in at))
        seats = len(game.monsters) if game is not None else None
        self.browsers.follow(snapshot.game_id, snapshot.rev, monsters, seats, players)

    def _last_game(self) -> str:
        """Return the box that was played last, else the first of all."""
        setup = self.table.snapshot().state.setup
        return setup.game if setup is not None else next(iter(engine.RULESETS))


def _configured_hosts(settings: Settings) -> tuple[str, ...]:
    """Return the host names in the settings: of the advertised URL, and of the listening host."""
    advertised = urlsplit(settings.advertise).hostname if settings.advertise else None
    listening = settings.host if parse_ip(settings.host) is None else None
    return tuple(host for host in (advertised, listening) if host)


def _cleaned(event: Input) -> Input:
    """Return the event with cleaned names."""
    if not isinstance(event, TableSet):
        return event
    return replace(event, seats=tuple(map(_cleaned_seat, event.seats)))


def _cleaned_seat(seat: SeatSetup) -> SeatSetup:
    """Return the seat with cleaned names; RefusedError for a picture that does not exist."""
    if seat.monster not in MONSTERS:
        raise RefusedError("error.unknown_monster", monster=seat.monster)
    return with_clean_names(seat)

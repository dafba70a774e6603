"""`companion serve`: run the service until it is stopped."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NotRequired, TypedDict, Unpack, cast

import click
import msgspec
from click.core import ParameterSource
from msgspec.structs import replace

from companion.cli.hub import publishing
from companion.cli.options.folders import default_data, setup_of, why_wrong_settings
from companion.cli.options.games import GAME, known_game
from companion.cli.options.sockets import listen
from companion.cli.options.values import Folder, InputFile, LaterFile, Number
from companion.cli.output import CANNOT_PRINT
from companion.cli.words import refuse, refuse_by, sentence
from companion.memory import keep_little
from companion.service.app import ROUTES, create_app
from companion.service.app_state import AppState
from companion.service.dice.cameras import AUTO, NONE
from companion.service.http.guard import Guard
from companion.service.http.server import Door, TableServer
from companion.service.machine.addresses import advertised, host_name, needs_zone, parse_ip
from companion.service.machine.joining import (
    Joining,
    Listening,
    qr_terminal,
    remove_files,
    write_invitation,
    write_listening,
)
from companion.service.machine.supervision import (
    ServiceManager,
    Starts,
    Supervision,
    is_journal,
    start_log,
)
from companion.service.settings import (
    Limits,
    Safe,
    Settings,
    StoredSettings,
    Wifi,
    WrongSettingsError,
    digest,
    read_settings,
)
from companion.table.database import CannotOpenError
from companion.table.log import DataInUseError
from companion.vision.box import Profile, load_profile
from companion.vision.messages import CameraChanged
from companion.vision.readings import CameraState, SourceError, VisionError
from companion.vision.sources.kinds import FrameSource, expected_source

COLLECT_AFTER = (5_000, 20, 20)
"""Objects, and collections of each younger generation, until the collector runs."""
NOT_TYPED = frozenset({None, ParameterSource.DEFAULT})
"""Where an option comes from that the command line does not say; None: it is no option."""
SWITCH_S = 0.001
"""The longest time that the stream's thread waits for another thread, in seconds."""


class ServeOptions(TypedDict):
    """The options of `serve`."""

    host: str
    port: int
    data: Path | None
    camera: str
    profile: Path | None
    game: str | None
    names: tuple[str, ...]
    advertise: str | None
    safe: bool | None
    verbose: bool
    mqtt: Path | None
    hotspot: bool
    title: NotRequired[str]
    """Of the settings alone, as those below: it is chosen once."""
    wifi: NotRequired[Wifi]
    """A password is no word of a command line."""
    stored: NotRequired[str]
    """The digest of the settings."""


host_option = click.option(
    "--host",
    metavar="ADDRESS",
    default="0.0.0.0",
    show_default=True,
    help="Address to listen on; :: for IPv6 and IPv4.",
)
port_option = click.option(
    "--port",
    default=8080,
    show_default=True,
    type=Number(0, 65535),
    help="Port to listen on; 0 for any free one.",
)


@click.command(epilog="Example: companion serve --camera 0 --game tokyo")
@host_option
@port_option
@click.option("--data", type=Folder(), metavar="DIR", help="Where the games are kept.")
@click.option(
    "--camera",
    metavar="SOURCE",
    default=AUTO,
    show_default=True,
    help="The first usable camera (auto), a device (index or /dev/v4l/by-id/…), csi, a video file, "
    "a folder of stills, an address, or none.",
)
@click.option(
    "--profile", type=LaterFile(), help="What companion calibrate has learned of your dice."
)
@click.option("--game", type=GAME, help="The game to begin with; by default the last one played.")
@click.option(
    "--advertise", metavar="URL", help="The address to show phones, if the one found is wrong."
)
@click.option(
    "--name",
    "names",
    metavar="NAME",
    multiple=True,
    help="Another name or number of this machine that phones may use.",
)
@click.option(
    "--safe/--no-safe",
    default=None,
    help="Start without camera, reader and win chances; by default after three failed starts.",
)
@click.option(
    "--hotspot", is_flag=True, help="This machine is the hotspot: tell phones to stay connected."
)
@click.option("--verbose", is_flag=True, help="Log every request, without secrets.")
@click.option(
    "--mqtt",
    type=InputFile(),
    help="Settings of your MQTT broker; by default mqtt.toml in the data folder, if it exists.",
)
def serve(**given: Unpack[ServeOptions]) -> None:
    """Serve the table to every phone in your network. Prints the QR code by which phones join."""
    start_log(sys.stderr, verbose=given["verbose"])
    stop_on_sigterm()
    manager = ServiceManager.of(os.environ)
    data = given["data"] or default_data()
    starts = Starts(data)
    if manager.is_there:  # it starts the next one, whatever ends this; a person reads a refusal
        starts.begin()
    safe = _safe(given["safe"], starts)
    is_stored = _fill_in(given, safe)
    if given["game"] is not None:
        known_game(given["game"])
    advertise = _advertised(given["advertise"])
    host = checked_host(given["host"], advertise)
    names = tuple(map(_name, given["names"]))
    profile = Profile() if safe else _profile(given["profile"])
    limits = Limits()
    sock = listen(host, given["port"], limits, starts)
    settings = Settings(
        data=data,
        host=host,
        port=sock.getsockname()[1],
        camera=given["camera"],
        profile=profile,
        game=given["game"],
        names=names,
        advertise=advertise,
        limits=limits,
        safe=safe,
        verbose=given["verbose"],
        hotspot=given["hotspot"],
        stored=given.get("stored", ""),
        title=given.get("title", ""),
        wifi=given.get("wifi"),
    )
    app_state = _app_state(settings, camera_may_come=not safe and "camera" in is_stored)
    with closing_all(app_state):
        write_listening(data, Listening.of(host, settings.port, given["mqtt"]))
        with publishing(app_state, given["mqtt"]):
            run(app_state, sock, manager, starts)


@contextmanager
def closing_all(app_state: AppState) -> Iterator[None]:
    """Serve within the block: Ctrl-C ends it without a word, and all that was opened is closed."""
    settings = app_state.settings
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(0)
    finally:
        app_state.close()
        remove_files(settings.data)


def _fill_in(given: ServeOptions, safe: Safe) -> frozenset[str]:
    """Take from the data folder's settings what the command line does not say; return the names of
    the options that were taken.
    """
    folder, context = given["data"] or default_data(), click.get_current_context()
    read = _stored(folder, safe)
    stored = msgspec.structs.asdict(read if safe is not Safe.FAILED else _without_risk(read))
    taken = {
        name: value
        for name, value in stored.items()
        if value is not None and context.get_parameter_source(name) in NOT_TYPED
    }
    given.update(cast(ServeOptions, taken | {"stored": digest(read)}))
    return frozenset(taken)


def _stored(folder: Path, safe: Safe) -> StoredSettings:
    """Return the settings of the folder. Wrong ones end the command; after failed starts the table
    is served without them.
    """
    try:
        return read_settings(folder)
    except WrongSettingsError as wrong:
        if safe is not Safe.FAILED:
            refuse_by(why_wrong_settings(folder, wrong))
        with suppress(*CANNOT_PRINT):
            click.echo(why_wrong_settings(folder, wrong), err=True)
        return StoredSettings()


def _without_risk(stored: StoredSettings) -> StoredSettings:
    """Return the settings without those that safe mode does not need and that may be why starts
    fail.
    """
    try:
        found = None if stored.advertise is None else advertised(stored.advertise)
        names = tuple(map(host_name, stored.names or ())) or None
    except ValueError:
        found, names = None, None
    return replace(stored, camera=None, game=None, advertise=found, names=names)


def _safe(asked: bool | None, starts: Starts) -> Safe:
    if asked is None:
        return Safe.FAILED if starts.should_be_safe else Safe.NO
    return Safe.ASKED if asked else Safe.NO


def run(
    app_state: AppState,
    sock: Door,
    manager: ServiceManager,
    starts: Starts,
    then: Callable[[AppState], None] = lambda _: None,
) -> None:
    """Serve on the socket until a signal ends it; the manager hears how it goes, and `then` is
    called once phones can join.
    """
    sys.setswitchinterval(SWITCH_S)
    keep_little()
    guard = Guard(create_app(app_state), ROUTES, app_state, sock.connections)
    with Supervision(manager, starts, (app_state.table.probe,)) as supervision:
        server = TableServer(
            guard, app_state, sock.connections, lambda: _on_ready(app_state, supervision, then)
        )
        app_state.tray.start()
        _freeze_collector()
        server.run([sock])


def _on_ready(
    app_state: AppState, supervision: Supervision, then: Callable[[AppState], None]
) -> None:
    announce(app_state)
    key = "serve.status_safe" if app_state.settings.safe else "serve.status"
    supervision.ready(sentence(key, url=app_state.base_url))
    then(app_state)


def _freeze_collector() -> None:
    """Exempt everything allocated at the start from garbage collection.

    A full collection takes 40 ms on a desktop machine, and requests wait for it. Hardly anything
    here is freed by it alone, so the others are made less often too.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


def checked_host(given: str, advertise: str | None = None) -> str:
    """Return the address to listen on; a link-local IPv6 address alone is refused, as no phone
    could reach it.
    """
    host = given.strip("[] ") or "0.0.0.0"
    number = parse_ip(host)
    if advertise is None and number is not None and needs_zone(number):
        refuse("error.link_local", host=host)
    return host


def _advertised(given: str | None) -> str | None:
    try:
        return None if given is None else advertised(given)
    except ValueError:
        refuse("error.advertise", given=str(given))


def _name(given: str) -> str:
    try:
        return host_name(given)
    except ValueError:
        refuse("error.host_name", given=given)


def _profile(path: Path | None) -> Profile:
    try:
        if path is None:
            return Profile()
        return load_profile(InputFile().convert(path, None, None))
    except VisionError as error:
        refuse(error.key, **error.params)


def _app_state(settings: Settings, *, camera_may_come: bool) -> AppState:
    try:
        is_named = camera_may_come and settings.camera != AUTO
        return opened(settings, expected_source(settings.camera) if is_named else None)
    except SourceError as unknown:
        refuse(unknown.key, **unknown.params)


def opened(settings: Settings, camera: FrameSource | None) -> AppState:
    """Return the service's state with its data folder open; end the command if that cannot be.
    Raises SourceError.
    """
    try:
        return AppState(settings, camera)
    except CannotOpenError as refusal:
        refuse("error.cannot_write", path=str(refusal.path.parent), reason=refusal.reason)
    except DataInUseError:
        refuse("error.data_in_use", path=str(settings.data))


def announce(app_state: AppState) -> None:
    """Print how to join: for people on a terminal, as one line of JSON for a script.

    Output that fails (a full disk, a closed terminal) does not stop the service.
    """
    with suppress(*CANNOT_PRINT):
        _print_notices(app_state)
    _print_addresses_again(app_state)
    app_state.addresses.subscribe(lambda: _print_addresses_again(app_state))
    _print_json_line(app_state)
    app_state.tray.settled.add_done_callback(lambda seen: _print_start(app_state, seen.result()))


def _print_notices(app_state: AppState) -> None:
    """Print the notices about the log."""
    for notice in app_state.notices():
        click.echo(sentence(notice.words.key, **notice.words.args), err=True)
    if not app_state.folder_is_locked:
        click.echo(sentence("serve.no_locks", path=str(app_state.settings.data)), err=True)


def _print_start(app_state: AppState, seen: CameraChanged) -> None:
    """Print which camera reads the dice, where games are kept, and how to stop."""
    with suppress(*CANNOT_PRINT):
        click.echo(_camera_line(app_state, seen), err=True)
        path, refusal = str(app_state.settings.data), app_state.log.refusal
        if app_state.settings.is_passing:
            click.echo(sentence("serve.games_gone"), err=True)
        elif refusal:
            line = sentence("serve.cannot_save", path=path, reason=refusal)
            click.secho(line, err=True, fg="red")
        else:
            click.echo(sentence("serve.games", path=path), err=True)
        if not is_journal(sys.stderr):
            click.echo(sentence("serve.stop"), err=True)


def _camera_line(app_state: AppState, seen: CameraChanged) -> str:
    """Return the line about the camera: which, at what size, and how to choose another; or why
    there is none and what to do instead.
    """
    cameras = app_state.cameras
    if app_state.tray.demo:
        return sentence("serve.demo", command="companion serve")
    if seen.problem is not None:
        return sentence(seen.problem.key, **seen.problem.params)
    if seen.size is not None:
        width, height = seen.size
        others = [one.source for one in cameras.found[1:] if not one.problem]
        other = others[0] if others else "/dev/v4l/by-id/…"
        return sentence("serve.camera", name=cameras.name, width=width, height=height, other=other)
    if seen.state is not CameraState.NONE:
        return sentence("serve.recording", name=cameras.name)
    if cameras.found:
        first = cameras.found[0]
        return sentence(f"error.camera.{first.problem}", source=first.name)
    is_off = app_state.settings.camera == NONE or app_state.settings.safe
    return sentence("serve.camera_off" if is_off else "serve.no_camera", command="companion demo")


def _print_json_line(app_state: AppState) -> None:
    if sys.stdout is None or sys.stdout.isatty() or is_journal(sys.stdout):
        return
    invitation = app_state.browsers.invitation
    line = {
        "url": app_state.base_url,
        "join": app_state.join_url(invitation.terminal),
        "code": invitation.code,
        "addresses": app_state.addresses.urls,
    }
    with suppress(*CANNOT_PRINT):
        click.echo(msgspec.json.encode(line).decode())


def _print_addresses(app_state: AppState) -> None:
    """Print the QR code and below it how to join; no token for a journal."""
    invitation = app_state.browsers.invitation
    if is_journal(sys.stderr):
        urls = " ".join(app_state.addresses.urls)
        click.echo(
            sentence("serve.journal", url=urls, command=setup_of(app_state.settings.data)), err=True
        )
        return
    url, *others = _links(app_state)
    if others:
        click.echo("\n  ".join((sentence("serve.others"), *others)), err=True)
    if app_state.addresses.is_out_of_reach:
        click.echo(sentence("serve.no_network"), err=True)
    click.echo(qr_terminal(url), err=True)
    click.echo(sentence("serve.join", url=url, code=invitation.code), err=True)


def _links(app_state: AppState) -> tuple[str, ...]:
    """Return the links by which the terminal's reader joins, the best first."""
    token = app_state.browsers.invitation.terminal
    return tuple(f"{one}/j#{token}" for one in app_state.addresses.urls)


def _print_addresses_again(app_state: AppState) -> None:
    settings = app_state.settings
    joining = Joining(_links(app_state), app_state.browsers.invitation.code, settings.stored)
    write_invitation(settings.data, joining)
    with suppress(*CANNOT_PRINT):
        _print_addresses(app_state)


def stop_on_sigterm() -> None:
    """End the process with status 0, and all that it opened, when it is asked to end."""
    signal.signal(signal.SIGTERM, _stop)


def _stop(_: int, __: FrameType | None) -> None:
    sys.exit(0)

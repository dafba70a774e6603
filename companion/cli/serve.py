"""`companion serve`, `demo` and `hub`: what runs until it is stopped."""

from __future__ import annotations

import errno
import gc
import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

import click
import msgspec
from click.core import ParameterSource
from msgspec.structs import replace

from companion.cli.options import (
    FOLDER,
    GAME,
    INPUT_FILE,
    MQTT_SETTINGS,
    default_data,
    setup_of,
    why_wrong_settings,
)
from companion.cli.words import CANNOT_PRINT, print_json, refuse, refuse_by, sentence, tell
from companion.demo.source import DemoTray
from companion.engine import RULESETS
from companion.errors import KeyedError
from companion.files import is_there
from companion.memory import limit_malloc_cache
from companion.service.app import ROUTES, create_app
from companion.service.app_state import AppState
from companion.service.dice.cameras import AUTO, NONE
from companion.service.http.guard import Guard
from companion.service.http.server import Door, DoorServer, listening_socket
from companion.service.machine.addresses import (
    advertised,
    host_name,
    needs_zone,
    outgoing,
    parse_ip,
    url_of,
)
from companion.service.machine.joining import (
    Joining,
    Listening,
    qr_terminal,
    remove_files,
    write_joining,
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
    WrongSettingsError,
    digest,
    read_settings,
)
from companion.table.database import CannotOpenError
from companion.table.log import DataInUseError
from companion.vision.box import Profile, load_profile
from companion.vision.messages import CameraChanged
from companion.vision.readings import CameraState
from companion.vision.sources.kinds import FrameSource, expected_source

ANYWHERE: Final = "0.0.0.0"
LAST_PORT: Final = 65535
DESKTOPS: Final = ("DISPLAY", "WAYLAND_DISPLAY")
"""The variables one of which a desktop sets."""
COLLECT_AFTER: Final = (5_000, 20, 20)
"""Objects, and collections of each younger generation, until the collector runs."""
NOT_TYPED: Final = frozenset({None, ParameterSource.DEFAULT})
"""Where an option comes from that the command line does not say; None: it is no option."""
SWITCH_S: Final = 0.001
"""The longest time that the stream's thread waits for another thread, in seconds."""

host_option = click.option(
    "--host",
    metavar="ADDRESS",
    default=ANYWHERE,
    help="Address to listen on; :: for IPv6 and IPv4.",
)


def port_option(default: int) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Return the option `--port` with this default."""
    return click.option(
        "--port",
        default=default,
        type=click.IntRange(0, LAST_PORT),
        help="Port to listen on; 0 for any free one.",
    )


# -- serve ----------------------------------------------------------------------------------------


@click.command(epilog="Example: companion serve --camera 0 --game tokyo")
@host_option
@port_option(8080)
@click.option("--data", type=FOLDER, metavar="DIR", help="Where the games are kept.")
@click.option(
    "--camera",
    metavar="SOURCE",
    default=AUTO,
    help="The first usable camera (auto), a device (index or /dev/v4l/by-id/…), csi, a video file, "
    "a folder of stills, an address, or none.",
)
@click.option(
    "--profile",
    type=click.Path(path_type=Path),
    help="What companion calibrate has learned of your dice.",
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
    help="Another host name or IP address that phones may use.",
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
    type=INPUT_FILE,
    help="Settings of your MQTT broker; by default mqtt.toml in the data folder, if it exists.",
)
def serve(
    data: Path | None,
    profile: Path | None,
    safe: bool | None,
    verbose: bool,
    mqtt: Path | None,
    **options: Any,
) -> None:
    """Serve the table to every phone in your network. Prints the QR code by which phones join."""
    start_log(sys.stderr, verbose=verbose)
    stop_on_sigterm()
    manager = ServiceManager.of(os.environ)
    folder = data or default_data()
    starts = Starts(folder)
    if manager.is_there:  # it starts the next one, whatever ends this; a person reads a refusal
        starts.begin()
    mode = Safe.ASKED if safe else Safe.NO
    if safe is None and starts.should_be_safe:
        mode = Safe.FAILED
    stored = _stored(folder, mode)
    context = click.get_current_context()
    from_settings = {
        name: value
        for name, value in msgspec.structs.asdict(_without_risk(stored, mode)).items()
        if value is not None and context.get_parameter_source(name) in NOT_TYPED
    }
    given = {**options, **from_settings}
    if given["game"] not in (None, *RULESETS):
        refuse("error.unknown_game", game=given["game"], known=", ".join(RULESETS))
    given["advertise"] = given["advertise"] and _checked(
        advertised, given["advertise"], "error.advertise"
    )
    given["host"] = checked_host(given["host"], given["advertise"])
    given["names"] = tuple(_checked(host_name, one, "error.host_name") for one in given["names"])
    prints = Profile() if mode or profile is None else load_profile(profile)
    limits = Limits()
    with listen(given["host"], given["port"], limits, starts) as sock:
        given["port"] = sock.getsockname()[1]
        settings = Settings(
            data=folder, profile=prints, limits=limits, safe=mode, verbose=verbose,
            stored=digest(stored), **given,
        )  # fmt: skip
        may_be_plugged_in_later = not mode and "camera" in from_settings and settings.camera != AUTO
        camera = expected_source(settings.camera) if may_be_plugged_in_later else None
        with open_app_state(settings, camera) as app_state:
            write_listening(folder, Listening(settings.host, settings.port))
            with publishing(app_state, mqtt):
                run(app_state, sock, manager, starts)


def _stored(folder: Path, mode: Safe) -> StoredSettings:
    """Return the settings of the folder. Wrong ones end the command; after failed starts the table
    is served without them.
    """
    try:
        return read_settings(folder)
    except WrongSettingsError as wrong:
        if mode is not Safe.FAILED:
            refuse_by(why_wrong_settings(folder, wrong))
        with suppress(*CANNOT_PRINT):
            click.echo(why_wrong_settings(folder, wrong), err=True)
        return StoredSettings()


def _without_risk(stored: StoredSettings, mode: Safe) -> StoredSettings:
    """Return the settings; after failed starts without those that safe mode does not need and that
    may be why starts fail.
    """
    if mode is not Safe.FAILED:
        return stored
    try:
        found = None if stored.advertise is None else advertised(stored.advertise)
        names = tuple(map(host_name, stored.names or ())) or None
    except ValueError:
        found, names = None, None
    return replace(stored, camera=None, game=None, advertise=found, names=names)


def _checked(check: Callable[[str], str], given: str, key: str) -> str:
    try:
        return check(given)
    except ValueError:
        refuse(key, given=given)


def checked_host(given: str, advertise: str | None = None) -> str:
    """Return the address to listen on; refuse a link-local IPv6 one, which no phone could reach."""
    host = given.strip("[] ") or ANYWHERE
    number = parse_ip(host)
    if advertise is None and number is not None and needs_zone(number):
        refuse("error.link_local", host=host)
    return host


def listen(host: str, port: int, limits: Limits, starts: Starts | None = None) -> Door:
    """Return a socket that listens there; end the command if that is not possible."""
    try:
        return listening_socket(host, port, limits)
    except OSError as refusal:
        if refusal.errno == errno.EADDRINUSE:
            refuse("error.port_in_use", port=port, other=port + 1 if port < LAST_PORT else 8080)
        if refusal.errno == errno.EACCES:
            refuse("error.port_forbidden", port=port)
        if refusal.errno == errno.EADDRNOTAVAIL or isinstance(refusal, socket.gaierror):
            if starts is not None:
                starts.wait_for_network()
            refuse("error.no_such_host", host=host)
        refuse("error.cannot_listen", host=host, port=port, reason=refusal.strerror or "")


@contextmanager
def open_app_state(settings: Settings, camera: FrameSource | None) -> Iterator[AppState]:
    """Yield the service's state with its data folder open; end the command if that cannot be.
    Ctrl-C ends the block without a word, and all that was opened is closed. Raises SourceError.
    """
    try:
        app_state = AppState(settings, camera)
    except CannotOpenError as refusal:
        refuse("error.cannot_write", path=str(refusal.path.parent), reason=refusal.reason)
    except DataInUseError:
        refuse("error.data_in_use", path=str(settings.data))
    try:
        yield app_state
    except KeyboardInterrupt:
        sys.exit(0)
    finally:
        app_state.close()
        remove_files(settings.data)


def run(
    app_state: AppState,
    sock: Door,
    manager: ServiceManager,
    starts: Starts,
    on_joinable: Callable[[AppState], None] = lambda _: None,
) -> None:
    """Serve on the socket until a signal ends it; the manager hears how it goes. `on_joinable` is
    called once phones can join.
    """
    sys.setswitchinterval(SWITCH_S)
    limit_malloc_cache()
    guard = Guard(create_app(app_state), ROUTES, app_state, sock.connections)

    def on_ready() -> None:
        announce(app_state)
        key = "serve.status_safe" if app_state.settings.safe else "serve.status"
        supervision.ready(sentence(key, url=app_state.base_url))
        on_joinable(app_state)

    with Supervision(manager, starts, (app_state.table.probe,)) as supervision:
        server = DoorServer(
            guard, sock.connections, on_ready, app_state.tick, app_state.hub,
            verbose=app_state.settings.verbose,
        )  # fmt: skip
        app_state.tray.start()
        # A full collection takes 40 ms on a desktop machine, and requests wait for it. What was
        # made at the start stays; hardly anything else is freed by it alone.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*COLLECT_AFTER)
        server.run([sock])


def stop_on_sigterm() -> None:
    """End the process with status 0, and all that it opened, when it is asked to end."""
    signal.signal(signal.SIGTERM, _stop)


def _stop(_: int, __: FrameType | None) -> None:
    sys.exit(0)


# -- what is printed ------------------------------------------------------------------------------


def announce(app_state: AppState) -> None:
    """Print how to join: for people on a terminal, as one line of JSON for a script.

    Output that fails (a full disk, a closed terminal) does not stop the service.
    """
    for notice in app_state.notices():
        tell(notice.words.key, **notice.words.args)
    if not app_state.folder_lock.is_exclusive:
        tell("serve.no_locks", path=str(app_state.settings.data))
    _write_and_print_invitation(app_state)
    app_state.addresses.subscribe(lambda: _write_and_print_invitation(app_state))
    if sys.stdout is not None and not sys.stdout.isatty() and not is_journal(sys.stdout):
        invitation = app_state.browsers.invitation
        with suppress(*CANNOT_PRINT):
            print_json(
                {
                    "url": app_state.base_url,
                    "join": f"{app_state.base_url}/j#{invitation.terminal}",
                    "code": invitation.code,
                    "addresses": app_state.addresses.urls,
                }
            )
    app_state.tray.settled.add_done_callback(lambda seen: _print_start(app_state, seen.result()))


def _print_start(app_state: AppState, seen: CameraChanged) -> None:
    """Print which camera reads the dice, where games are kept, and how to stop."""
    with suppress(*CANNOT_PRINT):
        click.echo(_camera_line(app_state, seen), err=True)
        path, refusal = str(app_state.settings.data), app_state.log.refusal
        if app_state.settings.is_passing:
            tell("serve.games_gone")
        elif refusal:
            line = sentence("serve.cannot_save", path=path, reason=refusal)
            click.secho(line, err=True, fg="red")
        else:
            tell("serve.games", path=path)
        if not is_journal(sys.stderr):
            tell("serve.stop")


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


def _write_and_print_invitation(app_state: AppState) -> None:
    """Write down how to join, and print the QR code and what is typed; no token for a journal."""
    settings, invitation = app_state.settings, app_state.browsers.invitation
    links = tuple(f"{one}/j#{invitation.terminal}" for one in app_state.addresses.urls)
    write_joining(settings.data, Joining(links, settings.stored))
    if is_journal(sys.stderr):
        urls = " ".join(app_state.addresses.urls)
        tell("serve.journal", url=urls, command=setup_of(settings.data))
        return
    url, *others = links
    with suppress(*CANNOT_PRINT):
        if others:
            click.echo("\n  ".join((sentence("serve.others"), *others)), err=True)
        if app_state.addresses.is_out_of_reach:
            tell("serve.no_network")
        click.echo(qr_terminal(url), err=True)
        tell("serve.join", url=url, code=invitation.code)


# -- demo -----------------------------------------------------------------------------------------


@click.command(epilog="Example: companion demo --game tokyo")
@click.option("--game", type=GAME, help="The game to try; by default the first of all.")
@host_option
@port_option(8080)
@click.option(
    "--data",
    type=FOLDER,
    metavar="DIR",
    help="Where the game is kept; by default it is gone at the end.",
)
def demo(game: str | None, host: str, port: int, data: Path | None) -> None:
    """Try the table with demo dice: no camera needed. Two seats are ready."""
    start_log(sys.stderr)
    stop_on_sigterm()
    host = checked_host(host)
    with ExitStack() as stack:
        folder = data or Path(stack.enter_context(TemporaryDirectory(prefix="monster-table-demo-")))
        starts = Starts(folder)
        sock = listen(host, port, Limits(), starts)
        settings = Settings(
            data=folder, host=host, port=sock.getsockname()[1], is_passing=data is None
        )
        app_state = stack.enter_context(open_app_state(settings, DemoTray()))
        app_state.demo.begin(game)
        run(app_state, sock, ServiceManager.of(os.environ), starts, _open_browser)


def _open_browser(app_state: AppState) -> None:
    """Open the page as the first player, if the command was typed at this machine's desktop."""
    if sys.stderr.isatty() and any(os.environ.get(name) for name in DESKTOPS):
        token = app_state.browsers.invitation.terminal
        url = f"http://localhost:{app_state.settings.port}/j#{token}"
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


# -- MQTT -----------------------------------------------------------------------------------------
# `companion.mqtt` is imported only if it is switched on.


@contextmanager
def publishing(app_state: AppState, named: Path | None) -> Iterator[None]:
    """Publish the table by the settings in the file `named`, else by those in the data folder; not
    at all if there are none, or in safe mode.

    Settings that were named and are wrong end the command. A table does not fail to start over
    those in its folder: what is wrong is printed.
    """
    data, safe = app_state.settings.data, app_state.settings.safe
    path = named or data / MQTT_SETTINGS
    if safe or (named is None and not is_there(path)):
        yield
        return
    try:
        _require_paho()
        from companion.mqtt.publisher import Publisher
        from companion.mqtt.settings import read_settings as read_mqtt

        publisher = Publisher(app_state, read_mqtt(path, data), tell)
    except KeyedError as wrong:
        if named is not None:
            refuse(wrong.key, **wrong.params)
        tell(wrong.key, **wrong.params)
        yield
        return
    try:
        yield
    finally:
        publisher.close()


def _require_paho() -> None:
    if find_spec("paho") is None:
        raise KeyedError("error.mqtt.missing")


@click.command("hub", epilog="Example: companion hub --mqtt mqtt.toml")
@click.option(
    "--mqtt", required=True, type=INPUT_FILE, help="Settings of your MQTT broker, as for serve."
)
@host_option
@port_option(8090)
def hub(mqtt: Path, host: str, port: int) -> None:
    """Show all tables of an MQTT broker on one page."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    stop_on_sigterm()
    _require_paho()
    from companion.mqtt.hub import Hub
    from companion.mqtt.settings import read_settings as read_mqtt

    settings = read_mqtt(mqtt, mqtt.parent)
    sock = listen(host.strip("[] ") or ANYWHERE, port, Limits())
    with suppress(KeyboardInterrupt):
        url = url_of(outgoing() or "localhost", sock.getsockname()[1])
        Hub(settings, tell).run(sock, lambda: tell("hub.open_at", url=url))

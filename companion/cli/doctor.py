"""`companion doctor` and `setup`: what is wrong with this machine and its table, what to do about
it, and the settings that are kept.

`python -m companion.cli.doctor dice` and `camera` are run by it in processes of their own: a driver
may block, and on some processors a network ends its process.
"""

from __future__ import annotations

import http.client
import importlib
import os
import pkgutil
import platform
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Final

import click
import msgspec
from msgspec.structs import replace

import companion
from companion.cli.options import (
    DATA,
    INPUT_FILE,
    OUTPUT_FILE,
    STANDARD,
    UNIT,
    data_folder,
    default_data,
    setup_of,
    unit_of,
    why_wrong_settings,
)
from companion.cli.words import FAILED, in_one_line, refuse, refuse_by, sentence, tell
from companion.errors import KeyedError
from companion.files import is_there, sync_file, write_atomically
from companion.redaction import shown_source
from companion.resources import LANGUAGES, resource_dir
from companion.service.machine.addresses import PhoneAddresses, advertised
from companion.service.machine.joining import Listening, qr_terminal, read_joining, read_listening
from companion.service.machine.monitor import Sensors, free_bytes
from companion.service.requests import HealthAnswer
from companion.service.settings import FILE_NAME as SETTINGS
from companion.service.settings import (
    Limits,
    Settings,
    StoredSettings,
    Wifi,
    WrongSettingsError,
    digest,
    read_settings,
    write_settings,
)
from companion.table import Table
from companion.table.backup import check_log, copy_verified
from companion.table.database import FILE_NAME, CannotOpenError, DamagedError
from companion.table.log import LOCK_NAME, EventLog
from companion.vision.report import networks_commit
from companion.vision.sources.cameras import find_cameras, has_rpicam, list_usb_devices, stable_name
from companion.vision.sources.kinds import parse_source

MEGA: Final = 1 << 20
DEFAULT: Final = Settings(data=Path())
HEALTHY_WITHIN_S: Final = 30.0
ASK_S: Final = 5.0
PAUSE_S: Final = 0.5
LOOK_S: Final = 20.0
"""Longest time for one picture; a Pi's own camera takes seven seconds to start."""
READ_S: Final = 120.0
"""Longest time to read the test picture, including the networks' loading from a slow card."""
DARK, BRIGHT = 12.0, 243.0
"""Mean levels of a picture, of 255, beyond which nothing is read."""
STILL: Final = Path(__file__).parent / "still.jpg"
"""A picture of six dice, each face once, made by the renderer of the training; the file beside it
names the game.
"""
EXTRAS: Final = {"dask", "distributed", "paho"}
"""Packages without which all but MQTT and clusters works."""
LONGEST_LINE: Final = 1000
LOG_LINES: Final = 2000
"""How much of the service's log is in a bundle."""
OWNER_ONLY: Final = 0o600


class Verdict(StrEnum):
    """What a diagnosis comes to."""

    OK = "ok"
    LOOK = "look"
    """The table can be played; somebody should look at it."""
    BAD = "bad"
    """Something does not work."""


class Diagnosis(msgspec.Struct, frozen=True):
    """What was found of one thing. `about`: what, in one word; `do`: what to do, "" for nothing."""

    about: str
    verdict: Verdict
    found: str
    do: str = ""


def diagnosis(about: str, verdict: Verdict, key: str, **params: str | int) -> Diagnosis:
    """Return the diagnosis in the words of `doctor.KEY`; `doctor.do.KEY` says what to do."""
    do = "" if verdict is Verdict.OK else sentence(f"doctor.do.{key}", **params)
    return Diagnosis(about, verdict, sentence(f"doctor.{key}", **params), do)


def print_diagnosis(one: Diagnosis, *, as_json: bool = False, err: bool = False) -> None:
    """Print a diagnosis: a line for people, or an object for a script. `err`: on standard error."""
    text = msgspec.json.encode(one).decode()
    if not as_json:
        text = f"{one.verdict:<4}  {one.about:<12}  {in_one_line(f'{one.found} {one.do}')}"
    click.echo(text, err=err)


# -- the command ----------------------------------------------------------------------------------


@click.command(epilog="Example: companion doctor --bundle help.json")
@DATA
@click.option(
    "--camera", "source", metavar="SOURCE", help="The camera, as for serve; by default yours."
)
@click.option(
    "--port", type=click.IntRange(1, 65535), help="The port of the service; by default yours."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option(
    "--self-test",
    "testing",
    is_flag=True,
    help="Test the installation and a copy of the games, as an update does.",
)
@click.option("--health", is_flag=True, help="Only wait for the service, up to 30 seconds.")
@click.option(
    "--bundle",
    "file",
    type=OUTPUT_FILE,
    help="Also write a file that you can send to somebody who helps; - for standard output.",
)
def doctor(
    data: Path | None,
    source: str | None,
    port: int | None,
    as_json: bool,
    testing: bool,
    health: bool,
    file: Path | None,
) -> None:
    """Check camera, reader, disk, clock, network and power. Prints a line for each, and what to do.
    The exit status is 1 if something does not work.
    """
    # For its health a container is asked too, in which root has the folder of somebody outside.
    folder = data or default_data() if health else data_folder(data)
    if health:
        diagnoses = iter([wait_for_health(folder, port, HEALTHY_WITHIN_S)])
    else:
        diagnoses = self_test(folder) if testing else examine(folder, source, port)
    found = []
    for one in diagnoses:
        print_diagnosis(one, as_json=as_json, err=file == STANDARD)
        found.append(one)
    if file is not None:
        _write_bundle(file, found, unit_of(folder))
    raise SystemExit(FAILED if any(one.verdict is Verdict.BAD for one in found) else 0)


def examine(folder: Path, camera: str | None, port: int | None) -> Iterator[Diagnosis]:
    """Yield every diagnosis: of the table, then of the machine. A running table is asked, never
    touched. `camera` and `port`: as the command line has them, None for the settings' own.
    """
    at = served_at(folder, port)
    yield from diagnose_settings(folder)
    yield diagnose_service(folder, at)
    yield diagnose_camera(camera or stored(folder).camera or "auto", in_use=is_served(folder))
    yield diagnose_log(folder)
    yield diagnose_reader()
    yield diagnose_disk(folder)
    yield diagnose_clock()
    yield diagnose_network(folder, at)
    yield diagnose_power(Sensors())


def stored(folder: Path) -> StoredSettings:
    """Return the settings; all defaults if they are wrong, as a service in safe mode has it."""
    try:
        return read_settings(folder)
    except WrongSettingsError:
        return StoredSettings()


def served_at(folder: Path, port: int | None) -> Listening:
    """Return where the service of a data folder listens, `port` being what is known of it: what it
    wrote down, else what its settings say.
    """
    running = read_listening(folder)
    if running is not None:
        return replace(running, port=port or running.port)
    kept = stored(folder)
    return Listening(kept.host or DEFAULT.host, port or kept.port or DEFAULT.port)


def _write_bundle(path: Path, found: list[Diagnosis], unit: str) -> None:
    """Write what was found, the versions and the end of the service's log as one JSON object.

    No player's name, code or password is among it: none is ever logged.
    """
    bundle = {
        "versions": {
            "monster-table": version("monster-table"),
            "networks": networks_commit(),
            "python": platform.python_version(),
            "system": platform.platform(),
        },
        "found": found,
        "log": _logged(unit),
    }
    content = msgspec.json.format(msgspec.json.encode(bundle), indent=1) + b"\n"
    if path == STANDARD:
        click.echo(content, nl=False)
        return
    try:
        write_atomically(path, content, mode=OWNER_ONLY)
    except OSError as refusal:
        refuse("error.cannot_save", path=str(path), reason=refusal.strerror or "")
    tell("doctor.bundle", path=str(path))


def _logged(unit: str) -> list[str]:
    """Return the last lines that systemd kept of the service; else why there are none."""
    asked = ["--unit", unit, "--lines", str(LOG_LINES), "--output=short-iso", "--no-hostname"]
    try:
        done = subprocess.run(
            ["journalctl", "--no-pager", *asked], capture_output=True, timeout=LOOK_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as failed:
        return [f"journalctl did not work: {type(failed).__name__}"]
    # A user who may not read the journal is shown an empty one; the reason is on standard error.
    return (done.stdout + done.stderr).decode(errors="replace").splitlines()


# -- the table ------------------------------------------------------------------------------------


def diagnose_settings(folder: Path) -> Iterator[Diagnosis]:
    """Yield what is wrong with the settings."""
    try:
        read_settings(folder)
    except WrongSettingsError as wrong:
        yield Diagnosis("settings", Verdict.BAD, why_wrong_settings(folder, wrong))


def ask_health(at: Listening) -> HealthAnswer | None:
    """Ask the service that listens there; None if none of ours answers."""
    try:
        with closing(http.client.HTTPConnection(at.reached_at, at.port, ASK_S)) as asking:
            asking.request("GET", "/api/health")
            return msgspec.json.decode(asking.getresponse().read(4096), type=HealthAnswer)
    except (OSError, ValueError, http.client.HTTPException):  # msgspec's errors are ValueErrors
        return None


def wait_for_health(folder: Path, port: int | None, patience_s: float) -> Diagnosis:
    """Ask until the service answers. A service that starts writes down where it listens only then,
    so it is looked up each time.
    """
    until = time.monotonic() + patience_s
    while (answer := ask_health(at := served_at(folder, port))) is None:
        if time.monotonic() >= until:
            return diagnosis("service", Verdict.BAD, "no_service", port=at.port)
        time.sleep(PAUSE_S)
    return _diagnose_health(answer, at.port)


def _diagnose_health(answer: HealthAnswer, port: int) -> Diagnosis:
    verdict, key = Verdict.OK, "service"
    if answer.safe:
        verdict, key = Verdict.LOOK, "service_safe"
    elif not answer.saved:
        verdict, key = Verdict.BAD, "service_unsaved"
    return diagnosis("service", verdict, key, version=answer.version, port=port)


def diagnose_service(folder: Path, at: Listening) -> Diagnosis:
    """Ask the service that listens there how it is."""
    answer, port = ask_health(at), at.port
    if answer is not None:
        return _diagnose_health(answer, port)
    if is_served(folder):
        return diagnosis("service", Verdict.LOOK, "service_elsewhere", port=port)
    try:
        socket.create_connection((at.reached_at, port), timeout=1.0).close()
    except (OSError, ValueError):
        return diagnosis("service", Verdict.OK, "service_off", port=port)
    return diagnosis("service", Verdict.BAD, "port_taken", port=port, other=port + 1)


def is_served(folder: Path) -> bool:
    """Return whether a service holds the folder's lock, without touching the lock."""
    try:
        inode = (folder / LOCK_NAME).stat().st_ino
        held = Path("/proc/locks").read_text("ascii", "replace").splitlines()
    except OSError:
        return False
    return any(
        fields[1] == "FLOCK" and fields[5].rpartition(":")[2] == str(inode)
        for fields in map(str.split, held)
        if len(fields) >= 8
    )


def diagnose_log(folder: Path) -> Diagnosis:
    """Check the chains of the log, without changing anything."""
    try:
        found = check_log(folder / FILE_NAME)
    except FileNotFoundError:
        return diagnosis("log", Verdict.OK, "no_log")
    except OSError as refusal:
        return diagnosis("log", Verdict.BAD, "log_broken", reason=refusal.strerror or "")
    rows = sum(game.rows for game in found.games)
    lost = sum(gap.last - gap.first + 1 for game in found.games for gap in game.lost)
    if not found.whole:
        return diagnosis("log", Verdict.BAD, "log_damaged", rows=rows, lost=lost)
    return diagnosis("log", Verdict.OK, "log_whole", games=len(found.games), rows=rows)


def diagnose_network(folder: Path, at: Listening) -> Diagnosis:
    """Look for an address by which phones reach the service that listens there."""
    chosen, advertise = stored(folder).advertise, None
    with suppress(ValueError):  # the service refuses to start with a wrong one, and says so
        advertise = None if chosen is None else advertised(chosen)
    settings = Settings(data=folder, host=at.host, port=at.port, advertise=advertise)
    addresses, name = PhoneAddresses(settings), socket.gethostname()
    if addresses.is_out_of_reach:
        return diagnosis("network", Verdict.BAD, "no_network", name=name)
    urls = ", ".join(addresses.urls)
    return diagnosis("network", Verdict.OK, "network", urls=urls, name=name)


# -- the camera and the reader --------------------------------------------------------------------


def diagnose_camera(source: str, *, in_use: bool, patience_s: float = LOOK_S) -> Diagnosis:
    """Look at the camera, unless a running table has it; without one, name those that are there."""
    if source == "none":
        found = list_usb_devices()
        if found:
            return diagnosis("camera", Verdict.LOOK, "camera_unused", name=found[0])
        return diagnosis("camera", Verdict.OK, "no_camera")
    if source == "auto":
        first = next(iter(find_cameras()), None)
        if first is None:
            return diagnosis("camera", Verdict.OK, "no_camera")
        if first.problem and not in_use:
            return _refused(KeyedError(f"error.camera.{first.problem}", source=first.name))
        source = first.source
    name = shown_name(source)
    try:
        opened = parse_source(source)
        if in_use:
            return diagnosis("camera", Verdict.OK, "camera_in_use", name=name)
        if opened is None or not opened.present():
            raise KeyedError("error.camera.unknown_device", source=name)
        return _in_subprocess("camera", patience_s, source)
    except KeyedError as wrong:
        return _refused(wrong)
    except subprocess.TimeoutExpired:
        return _refused(KeyedError("error.camera.stalled", source=name))
    except (OSError, subprocess.CalledProcessError, msgspec.MsgspecError):
        return _refused(KeyedError("error.camera.lost", source=name))


def _refused(wrong: KeyedError) -> Diagnosis:
    found, end, do = sentence(wrong.key, **wrong.params).partition(". ")
    return Diagnosis("camera", Verdict.BAD, found + end.strip(), do)


def shown_name(source: str) -> str:
    """Return a source's name without what may be a secret: an address has a password in it."""
    return Path(source).name if source.startswith("/") else shown_source(source).partition(":/")[0]


def _read_first_picture(source: str) -> Diagnosis:
    name = shown_name(source)
    try:
        opened = parse_source(source)
        assert opened is not None  # it was present
        with closing(opened.frames()) as frames:
            image = next(frames).decode().image
    except KeyedError as wrong:
        return _refused(wrong)
    except StopIteration:
        return _refused(KeyedError("error.camera.lost", source=name))
    (height, width), level = image.shape[:2], float(image.mean())
    verdict, key = Verdict.OK, "camera"
    if not DARK <= level <= BRIGHT:
        verdict, key = Verdict.BAD, "camera_dark" if level < DARK else "camera_bright"
    return diagnosis("camera", verdict, key, width=width, height=height, name=name)


def diagnose_reader(patience_s: float = READ_S) -> Diagnosis:
    """Read the picture of dice that is part of this program, in a process of its own."""
    try:
        return _in_subprocess("dice", patience_s)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError) as wrong:
        return diagnosis("model", Verdict.BAD, "model_broken", reason=str(wrong))


def _read_still() -> Diagnosis:
    from companion.vision.box import rules_of
    from companion.vision.pictures import decode
    from companion.vision.read.reader import Expected, Reader

    try:
        game = msgspec.json.decode(STILL.with_suffix(".json").read_bytes(), type=str)
        expected = Expected(rules_of(game), 6)
        reading = Reader.shipped().read(decode(STILL.read_bytes()), expected)
    except (OSError, msgspec.MsgspecError, KeyedError) as wrong:
        return diagnosis("model", Verdict.BAD, "model_broken", reason=str(wrong))
    faces = sorted(str(die.face) for die in reading.dice)
    if faces != sorted(expected.rules.faces):
        return diagnosis("model", Verdict.BAD, "model_wrong", faces=", ".join(faces))
    return diagnosis("model", Verdict.OK, "model", number=len(faces))


def _in_subprocess(what: str, patience_s: float, given: str = "") -> Diagnosis:
    """Return what one of this module's two commands finds in a process of its own. Raises OSError,
    SubprocessError, MsgspecError.

    What is given may have a password in it, so it is no argument, which every user could read.
    """
    command = [sys.executable, "-P", "-m", "companion.cli.doctor", what]
    done = subprocess.run(
        command, input=given.encode(), capture_output=True, timeout=patience_s, check=True
    )
    return msgspec.json.decode(done.stdout, type=Diagnosis)


# -- the installation -----------------------------------------------------------------------------


def self_test(folder: Path) -> Iterator[Diagnosis]:
    """Yield whether everything is there, dice are read and the log can be continued.

    It changes nothing: a package runs it before its version serves the table.
    """
    yield _imports()
    expected = [resource_dir("webui") / page for page in ("index.html", "tv.html")]
    expected += [resource_dir("locales") / f"{language}.json" for language in LANGUAGES]
    missing = [path.name for path in expected if not path.is_file()]
    if missing:
        yield diagnosis("files", Verdict.BAD, "files_missing", names=", ".join(missing))
    else:
        yield diagnosis("files", Verdict.OK, "files", number=len(expected))
    yield diagnose_reader()
    yield diagnose_log_copy(folder)


def _imports() -> Diagnosis:
    """Import every module, so that what a later page or command needs is known to be there."""
    count, reason = 0, ""
    for module in pkgutil.walk_packages(companion.__path__, "companion."):
        try:
            importlib.import_module(module.name)
            count += 1
        except (ImportError, AttributeError, OSError, SyntaxError, TypeError) as wrong:
            missing = getattr(wrong, "name", None) or ""
            if missing.partition(".")[0] not in EXTRAS:
                reason = f"{module.name}: {wrong}"
    if reason:
        return diagnosis("modules", Verdict.BAD, "modules_missing", reason=reason)
    return diagnosis("modules", Verdict.OK, "modules", number=count)


def diagnose_log_copy(folder: Path) -> Diagnosis:
    """Open a copy of the log and replay the game that is being played."""
    log = folder / FILE_NAME
    if not is_there(log):
        return diagnosis("log", Verdict.OK, "no_log")
    try:
        with tempfile.TemporaryDirectory() as copied:
            copy_verified(log, Path(copied) / FILE_NAME)
            with closing(Table(EventLog(Path(copied)))) as table:
                for name, reason in table.set_aside[:1]:
                    key = reason.key
                    return diagnosis("log", Verdict.BAD, "log_refused", table=name, reason=key)
                games, rows = len(table.games()), table.snapshot().rev
                return diagnosis("log", Verdict.OK, "log", games=games, rows=rows)
    except (OSError, sqlite3.Error, DamagedError, CannotOpenError) as wrong:
        return diagnosis("log", Verdict.BAD, "log_broken", reason=str(wrong))


# -- the machine ----------------------------------------------------------------------------------


def diagnose_disk(data: Path) -> Diagnosis:
    """Look whether the disk of the data folder has room and can be written."""
    limits = Limits()
    folder = next(path for path in (data, *data.parents) if os.path.isdir(path))  # noqa: PTH112  Path.is_dir raises if it may not look
    try:
        free = free_bytes(folder)
        if free < limits.disk_full_bytes:
            return diagnosis("disk", Verdict.BAD, "disk_full", free=free // MEGA, path=str(folder))
        with tempfile.NamedTemporaryFile(dir=folder) as tried:
            sync_file(Path(tried.name))
    except OSError as refusal:
        reason = refusal.strerror or str(refusal)
        return diagnosis("disk", Verdict.BAD, "disk_refuses", path=str(folder), reason=reason)
    if free < limits.disk_low_bytes:
        return diagnosis("disk", Verdict.LOOK, "disk_low", free=free // MEGA)
    return diagnosis("disk", Verdict.OK, "disk", free=free // MEGA)


def diagnose_clock(now: datetime | None = None) -> Diagnosis:
    """Compare the clock with the time of this program's files: it cannot be earlier."""
    now = now or datetime.now(UTC)
    made = (resource_dir("locales") / "en.json").stat().st_mtime
    at = now.isoformat(timespec="minutes")
    if now.timestamp() < made:
        return diagnosis("clock", Verdict.LOOK, "clock_behind", at=at)
    return diagnosis("clock", Verdict.OK, "clock", at=at)


def diagnose_power(sensors: Sensors) -> Diagnosis:
    """Ask the firmware whether the supply is strong enough."""
    found = sensors.power()
    if found is None:
        return diagnosis("power", Verdict.OK, "power_unknown")
    if found.now:
        return diagnosis("power", Verdict.BAD, "power_weak")
    if found.since_start:
        return diagnosis("power", Verdict.LOOK, "power_was_weak")
    return diagnosis("power", Verdict.OK, "power")


# -- set up ----------------------------------------------------------------------------------------


@click.command(epilog="Example: companion setup --camera 0")
@DATA
@click.option(
    "--camera", "source", metavar="SOURCE", help="The camera, as for serve; by default any found."
)
@click.option("--port", type=click.IntRange(1, 65535), help="The port of the service.")
@click.option("--title", metavar="TITLE", help="The table's name, if there are several.")
@click.option(
    "--hotspot/--no-hotspot",
    default=None,
    help="Whether this machine is the hotspot, without internet.",
)
@click.option(
    "--wifi-name", metavar="NAME", help="Your Wi-Fi, for which the host can show a QR code."
)
@click.option(
    "--wifi-password-file",
    type=INPUT_FILE,
    help="Its password, in the first line; - for standard input. Without it, the Wi-Fi is open.",
)
@click.option("--no-wifi", is_flag=True, help="Forget the Wi-Fi.")
def setup(
    data: Path | None,
    source: str | None,
    port: int | None,
    title: str | None,
    hotspot: bool | None,
    wifi_name: str | None,
    wifi_password_file: Path | None,
    no_wifi: bool,
) -> None:
    """Find the camera, save the settings and show how to join."""
    folder = data_folder(data)
    try:
        known = read_settings(folder)
    except WrongSettingsError as wrong:
        refuse_by(why_wrong_settings(folder, wrong))
    if wifi_name is None and wifi_password_file is not None:
        refuse("error.usage.needs", option="--wifi-password-file", other="--wifi-name")
    if wifi_name is not None and no_wifi:
        refuse("error.usage.both", option="--wifi-name", other="--no-wifi")
    wifi = None if no_wifi else known.wifi
    if wifi_name is not None:
        wifi = _wifi(wifi_name, wifi_password_file)
    looked_at = _found(known.camera) if source is None else source
    found = diagnose_camera(looked_at, in_use=is_served(folder))
    print_diagnosis(found)
    if found.verdict is Verdict.BAD and source is not None:
        raise SystemExit(FAILED)  # what was asked for does not work: keep what there was
    is_meant = source is not None or looked_at != "none"
    kept = replace(
        known,
        camera=looked_at if is_meant and found.verdict is not Verdict.BAD else known.camera,
        port=port or known.port,
        title=known.title if title is None else _title(title),
        hotspot=known.hotspot if hotspot is None else hotspot,
        wifi=wifi,
    )
    try:
        write_settings(folder, kept)
    except OSError as refusal:
        path, reason = str(refusal.filename or folder), refusal.strerror or ""
        refuse("error.cannot_write", path=path, reason=reason)
    click.echo(sentence("setup.kept", path=str(folder / SETTINGS)))
    _show_how_to_join(folder, kept)


def _title(given: str) -> str | None:
    """Return the title to keep; an empty one is none."""
    try:
        return msgspec.convert({"title": given.strip() or None}, StoredSettings).title
    except msgspec.ValidationError:
        refuse("error.title")


def _wifi(name: str, file: Path | None) -> Wifi:
    """Return the Wi-Fi of this name, with the password that the file's first line holds."""
    password = "" if file is None else _first_line(file)
    if file is not None and not password:
        refuse("error.wifi.password", path=str(file))
    try:
        return msgspec.convert({"name": name, "password": password}, Wifi)
    except msgspec.ValidationError as wrong:
        if "$.password" not in str(wrong):
            refuse("error.wifi.name")
        refuse("error.wifi.password", path=str(file))


def _first_line(file: Path) -> str:
    with sys.stdin.buffer if file == STANDARD else file.open("rb") as opened:
        return opened.readline(LONGEST_LINE).decode("utf-8-sig", "ignore").rstrip("\r\n")


def _found(known: str | None) -> str:
    """Return the camera to use: the one chosen before while it is there, else the only one; of
    several, ask, or take the first if nobody can answer.
    """
    devices = list_usb_devices()
    if known is not None and (not known.startswith("/dev/") or stable_name(known) in devices):
        return known
    if not devices:
        return "csi" if has_rpicam() else "none"
    if len(devices) == 1 or sys.stdin is None or not sys.stdin.isatty():
        return devices[0]
    for number, device in enumerate(devices, 1):
        click.echo(f"{number}  {Path(device).name}", err=True)
    wanted = click.IntRange(1, len(devices))
    chosen: int = click.prompt(sentence("setup.which"), type=wanted, default=1, err=True)
    return devices[chosen - 1]


def _show_how_to_join(folder: Path, kept: StoredSettings) -> None:
    """Print the QR code of the running service, unless that needs a restart, which changes the
    code; without a service, how to start one.
    """
    joining, unit = read_joining(folder), unit_of(folder)
    again = f"sudo {setup_of(folder)}"
    if joining is None:
        start = "companion serve" if unit == UNIT else f"sudo systemctl enable --now {unit}"
        click.echo(sentence("setup.start", command=start))
    elif joining.settings != digest(kept):
        click.echo(sentence("setup.restart", command=f"sudo systemctl restart {unit} && {again}"))
    elif not sys.stdout.isatty():
        click.echo(sentence("setup.no_terminal", command=again))
    else:
        click.echo(qr_terminal(joining.links[0]))
        click.echo(sentence("setup.join", url=joining.links[0]))


if __name__ == "__main__":
    answer = _read_still() if sys.argv[1] == "dice" else _read_first_picture(sys.stdin.read())
    click.echo(msgspec.json.encode(answer).decode())

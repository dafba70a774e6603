"""The command `companion setup`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict, Unpack

import click
import msgspec
from msgspec.structs import replace

from companion.cli.doctor import Verdict, diagnose_camera, is_served, print_diagnosis
from companion.cli.options.folders import (
    DATA,
    UNIT,
    data_folder,
    setup_of,
    unit_of,
    why_wrong_settings,
)
from companion.cli.options.values import InputFile, Number, refuse_unreadable
from companion.cli.usage import refuse_both, refuse_without
from companion.cli.words import FAILED, refuse, refuse_by, sentence
from companion.service.machine.joining import qr_terminal, read_invitation
from companion.service.settings import (
    FILE_NAME,
    StoredSettings,
    Wifi,
    WrongSettingsError,
    digest,
    read_settings,
    write_settings,
)
from companion.vision.sources.cameras import is_installed, list_devices, stable_name

LONGEST_LINE = 1000


class SetupOptions(TypedDict):
    """The options of `setup`."""

    data: Path | None
    source: str | None
    port: int | None
    title: str | None
    hotspot: bool | None
    wifi_name: str | None
    wifi_password_file: Path | None
    no_wifi: bool


@click.command(epilog="Example: companion setup --camera 0")
@DATA
@click.option(
    "--camera", "source", metavar="SOURCE", help="The camera, as for serve; by default any found."
)
@click.option("--port", type=Number(1, 65535), help="The port of the service.")
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
    type=InputFile(standard=True),
    help="Its password, in the first line; - for standard input. Without it, the Wi-Fi is open.",
)
@click.option("--no-wifi", is_flag=True, help="Forget the Wi-Fi.")
def setup(**given: Unpack[SetupOptions]) -> None:
    """Find the camera, save the settings and show how to join."""
    folder = data_folder(given["data"])
    known = _known(folder)
    wifi = _wifi(given, known.wifi)
    source = _found(known.camera) if given["source"] is None else given["source"]
    found = diagnose_camera(source, in_use=is_served(folder))
    print_diagnosis(found)
    if found.verdict is Verdict.BAD and given["source"] is not None:
        raise SystemExit(FAILED)  # what was asked for does not work: keep what there was
    is_meant = given["source"] is not None or source != "none"
    camera = source if is_meant and found.verdict is not Verdict.BAD else known.camera
    port = given["port"] or known.port
    hotspot = known.hotspot if given["hotspot"] is None else given["hotspot"]
    title = _title(given["title"], known.title)
    kept = replace(known, camera=camera, port=port, title=title, hotspot=hotspot, wifi=wifi)
    _write(folder, kept)
    _show_how_to_join(folder, kept)


def _known(folder: Path) -> StoredSettings:
    try:
        return read_settings(folder)
    except WrongSettingsError as wrong:
        refuse_by(why_wrong_settings(folder, wrong))


def _title(given: str | None, known: str | None) -> str | None:
    """Return the title to keep; an empty one is none."""
    if given is None:
        return known
    try:
        return msgspec.convert({"title": given.strip() or None}, StoredSettings).title
    except msgspec.ValidationError:
        refuse("error.title")


def _wifi(given: SetupOptions, known: Wifi | None) -> Wifi | None:
    """Return the Wi-Fi to keep."""
    name, file = given["wifi_name"], given["wifi_password_file"]
    if name is None and file is not None:
        refuse_without("--wifi-password-file", "--wifi-name")
    if name is not None and given["no_wifi"]:
        refuse_both("--wifi-name", "--no-wifi")
    if given["no_wifi"]:
        return None
    if name is None:
        return known
    password = "" if file is None else _password(file)
    try:
        return msgspec.convert({"name": name, "password": password}, Wifi)
    except msgspec.ValidationError as wrong:
        if file is None or "$.password" not in str(wrong):
            refuse("error.wifi.name")
        refuse("error.wifi.password", path=str(file))


def _password(file: Path) -> str:
    """Return the first line of a file; end the command if it is none for a password."""
    try:
        found = _first_line(file)
    except OSError as refusal:
        refuse_unreadable(file, refusal)
    except UnicodeDecodeError:
        found = ""
    if not found:
        refuse("error.wifi.password", path=str(file))
    return found


def _first_line(file: Path) -> str:
    with click.open_file(str(file), "rb") as opened:
        return bytes(opened.readline(LONGEST_LINE)).decode("utf-8-sig").rstrip("\r\n")


def _found(known: str | None) -> str:
    """Return the camera to use: the one chosen before while it is there, else the only one; of
    several, ask.
    """
    devices = list_devices()
    if known is not None and (not known.startswith("/dev/") or stable_name(known) in devices):
        return known
    if not devices:
        return "csi" if is_installed() else "none"
    return _chosen(devices)


def _chosen(devices: Sequence[str]) -> str:
    """Ask which of several cameras it is; the first where nobody can answer."""
    if len(devices) == 1 or sys.stdin is None or not sys.stdin.isatty():
        return devices[0]
    for number, device in enumerate(devices, 1):
        click.echo(f"{number}  {Path(device).name}", err=True)
    wanted = Number(1, len(devices))
    chosen: int = click.prompt(sentence("setup.which"), type=wanted, default=1, err=True)
    return devices[chosen - 1]


def _write(folder: Path, settings: StoredSettings) -> None:
    try:
        write_settings(folder, settings)
    except OSError as refusal:
        path, reason = str(refusal.filename or folder), refusal.strerror or ""
        refuse("error.cannot_write", path=path, reason=reason)
    click.echo(sentence("setup.kept", path=str(folder / FILE_NAME)))


def _show_how_to_join(folder: Path, kept: StoredSettings) -> None:
    """Print the QR code of the running service, unless that needs a restart, which changes the
    code; without a service, how to start one.
    """
    joining, unit = read_invitation(folder), unit_of(folder)
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
        click.echo(sentence("serve.join", url=joining.links[0], code=joining.code))

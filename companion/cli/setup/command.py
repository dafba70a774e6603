"""The command `companion setup`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict, Unpack

import click
import msgspec
from msgspec.structs import replace

from companion.cli.doctor.camera import camera as camera_diagnosis
from companion.cli.doctor.diagnoses import Verdict, print_diagnosis
from companion.cli.doctor.table import is_served
from companion.cli.options.folders import DATA, root_folder
from companion.cli.words import FAILED, refuse, sentence
from companion.service.machine.invitation_file import read_invitation
from companion.service.machine.settings_file import (
    FILE_NAME,
    StoredSettings,
    WrongSettingsError,
    digest,
    read_settings,
    write_settings,
)
from companion.service.network.addresses import qr_terminal
from companion.service.settings import Wifi
from companion.tables import has_tables
from companion.vision.sources.cameras import is_installed, list_devices, stable_name

LONGEST_LINE = 1000
RESTART = "sudo systemctl restart monster-table"
AGAIN = "sudo companion setup"


class SetupOptions(TypedDict):
    """The options of `setup`."""

    data: Path | None
    source: str | None
    port: int | None
    hotspot: bool | None
    wifi_name: str | None
    wifi_password_file: Path | None
    no_wifi: bool


@click.command()
@DATA
@click.option("--camera", "source", help="The camera, as for serve; else the one that is found.")
@click.option("--port", type=click.IntRange(1, 65535), help="The service's port.")
@click.option(
    "--hotspot/--no-hotspot",
    default=None,
    help="Whether the table's network is a hotspot of this machine, without internet.",
)
@click.option("--wifi-name", help="The name of the Wi-Fi for which the host can show a QR code.")
@click.option(
    "--wifi-password-file",
    type=click.Path(path_type=Path),
    help="A file with its password in the first line; - for standard input. Without it: open.",
)
@click.option("--no-wifi", is_flag=True, help="Forget the Wi-Fi.")
def setup(**given: Unpack[SetupOptions]) -> None:
    """Find and check the camera, keep what serve needs, and show how to join."""
    folder = root_folder(given["data"])
    known = _known(folder)
    wifi = _wifi(given, known.wifi)
    source = given["source"] or _found(known.camera)
    found = camera_diagnosis(source, in_use=is_served(folder))
    print_diagnosis(found, as_json=False)
    if found.verdict is Verdict.BAD and given["source"] is not None:
        raise SystemExit(FAILED)  # what was asked for does not work: keep what there was
    is_meant = given["source"] is not None or source != "none"
    camera = source if is_meant and found.verdict is not Verdict.BAD else known.camera
    port = given["port"] or known.port
    hotspot = known.hotspot if given["hotspot"] is None else given["hotspot"]
    kept = replace(known, camera=camera, port=port, hotspot=hotspot, wifi=wifi)
    _write(folder, kept)
    _show_how_to_join(folder, kept)


def _known(folder: Path) -> StoredSettings:
    try:
        return read_settings(folder)
    except WrongSettingsError as wrong:
        refuse("error.settings", path=str(folder / FILE_NAME), reason=str(wrong))


def _wifi(given: SetupOptions, known: Wifi | None) -> Wifi | None:
    """Return the Wi-Fi to keep."""
    name, file = given["wifi_name"], given["wifi_password_file"]
    if (name is None and file is not None) or (name is not None and given["no_wifi"]):
        refuse("error.wifi_options")
    if given["no_wifi"]:
        return None
    if name is None:
        return known
    try:
        password = "" if file is None else _first_line(file)
        if file is not None and not password:
            refuse("error.wifi")
        return msgspec.convert({"name": name, "password": password}, Wifi)
    except OSError as refusal:
        refuse("error.unreadable", path=str(file), reason=refusal.strerror or "")
    except (msgspec.ValidationError, UnicodeDecodeError):
        refuse("error.wifi")


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
    wanted = click.IntRange(1, len(devices))
    return devices[click.prompt(sentence("setup.which"), type=wanted, default=1, err=True) - 1]


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
    joining = read_invitation(folder)
    if has_tables(folder):
        click.echo(sentence("setup.tables", command="companion tables show NAME"))
    elif joining is None:
        click.echo(sentence("setup.start", command="companion serve"))
    elif joining.settings != digest(kept):
        click.echo(sentence("setup.restart", command=f"{RESTART} && {AGAIN}"))
    elif not sys.stdout.isatty():
        click.echo(sentence("setup.no_terminal", command=AGAIN))
    else:
        click.echo(qr_terminal(joining.links[0]))
        click.echo(sentence("serve.join", url=joining.links[0], code=joining.code))

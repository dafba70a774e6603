"""`companion setup`: find the camera, keep the settings, show how to join."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec
from msgspec.structs import replace

from companion.cli.doctor import Verdict, diagnose_camera, is_served, print_diagnosis
from companion.cli.options import (
    DATA,
    STANDARD,
    UNIT,
    InputFile,
    Whole,
    data_folder,
    refuse_both,
    refuse_without,
    setup_of,
    unit_of,
    why_wrong_settings,
)
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
from companion.vision.sources.cameras import has_rpicam, list_usb_devices, stable_name

LONGEST_LINE = 1000


@click.command(epilog="Example: companion setup --camera 0")
@DATA
@click.option(
    "--camera", "source", metavar="SOURCE", help="The camera, as for serve; by default any found."
)
@click.option("--port", type=Whole(1, 65535), help="The port of the service.")
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
        refuse_without("--wifi-password-file", "--wifi-name")
    if wifi_name is not None and no_wifi:
        refuse_both("--wifi-name", "--no-wifi")
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
    click.echo(sentence("setup.kept", path=str(folder / FILE_NAME)))
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
    """Return the first line of a file; "" if it is no text."""
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
    wanted = Whole(1, len(devices))
    chosen: int = click.prompt(sentence("setup.which"), type=wanted, default=1, err=True)
    return devices[chosen - 1]


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

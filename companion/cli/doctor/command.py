"""The command `companion doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict, Unpack

import click

from companion.cli.doctor import machine, table
from companion.cli.doctor.bundle import SHARED, STANDARD_OUTPUT, Bundle
from companion.cli.doctor.camera import camera
from companion.cli.doctor.diagnoses import Diagnosis, exit_status, print_diagnosis
from companion.cli.doctor.health import wait_for_health
from companion.cli.doctor.reading import reads_dice
from companion.cli.doctor.self_test import installation, log_continues
from companion.cli.doctor.targets import (
    Target,
    network_settings,
    served_at,
    target_of,
    wrong_settings,
)
from companion.cli.mqtt.diagnosis import broker_hosts, mqtt
from companion.cli.options.folders import DATA, data_folder, default_data
from companion.cli.options.values import Number, OneOf, OutputFile
from companion.cli.usage import refuse_without
from companion.cli.words import refuse, sentence
from companion.service.machine.sensors import Sensors
from companion.service.settings import Settings

HEALTHY_WITHIN_S = 30.0


class DoctorOptions(TypedDict):
    """The options of `doctor`."""

    data: Path | None
    source: str | None
    port: int | None
    as_json: bool
    testing: bool
    health: bool
    file: Path | None
    shared: tuple[str, ...]


@click.command(epilog="Example: companion doctor --bundle help.zip")
@DATA
@click.option(
    "--camera", "source", metavar="SOURCE", help="The camera, as for serve; by default yours."
)
@click.option("--port", type=Number(1, 65535), help="The port of the service; by default yours.")
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
    type=OutputFile(standard=True),
    help="Also write one file for whoever helps you; - for standard output.",
)
@click.option(
    "--with",
    "shared",
    multiple=True,
    type=OneOf(*SHARED),
    help="What that file may hold as well; by default nothing personal.",
)
def doctor(**given: Unpack[DoctorOptions]) -> None:
    """Check camera, reader, disk, clock, network and power. Prints a line for each, and what to do.
    The exit status is 1 if something does not work.
    """
    if given["shared"] and given["file"] is None:
        refuse_without("--with", "--bundle")
    # What must be left out is known first: a service that stops meanwhile takes its files along.
    bundle = None if given["file"] is None else _bundle(given["file"], given)
    found = []
    for one in _diagnoses(given):
        print_diagnosis(one, as_json=given["as_json"], err=str(given["file"]) == STANDARD_OUTPUT)
        found.append(one)
    if given["file"] is not None and bundle is not None:
        _write_bundle(given["file"], bundle, found)
    raise SystemExit(exit_status(found))


def _bundle(path: Path, given: DoctorOptions) -> Bundle:
    folder = data_folder(given["data"])
    target = target_of(folder, given["source"], given["port"])
    try:
        return Bundle(folder, given["shared"], broker_hosts(target))
    except OSError as refusal:
        refuse("error.cannot_save", path=str(path), reason=refusal.strerror or "")


def _write_bundle(path: Path, bundle: Bundle, found: list[Diagnosis]) -> None:
    try:
        names = bundle.write(path, found)
    except OSError as refusal:
        refuse("error.cannot_save", path=str(path), reason=refusal.strerror or "")
    click.echo(sentence("doctor.bundle", path=str(path), names=", ".join(names)), err=True)


def _diagnoses(given: DoctorOptions) -> Iterator[Diagnosis]:
    if given["health"]:  # of a container too, whose root is nobody outside
        asked = given["data"] or default_data()
        yield wait_for_health(lambda: served_at(asked, given["port"]), HEALTHY_WITHIN_S)
        return
    folder = data_folder(given["data"])
    yield from wrong_settings(folder)
    if given["testing"]:
        yield from installation()
        yield log_continues(folder)
        return
    target = target_of(folder, given["source"], given["port"])
    yield from examine(target, network_settings(folder, given["port"]))


def examine(target: Target, settings: Settings) -> Iterator[Diagnosis]:
    """Yield every diagnosis: of the table, then of the machine. A running table is asked, never
    touched.
    """
    yield table.service(target.folder, target.at)
    yield table.starts(target.folder)
    yield camera(target.camera, in_use=table.is_served(target.folder))
    yield table.log(target.folder)
    sensors = Sensors()
    yield reads_dice()
    yield machine.disk(target.folder)
    yield machine.clock()
    yield table.network(settings)
    yield mqtt(target)
    yield machine.power(sensors)
    yield machine.temperature(sensors)
    yield machine.memory(sensors)

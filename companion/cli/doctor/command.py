"""The command `companion doctor`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypedDict, Unpack

import click

from companion.cli.doctor import machine, table
from companion.cli.doctor.bundle import SHARED, Bundle
from companion.cli.doctor.camera import camera
from companion.cli.doctor.findings import Finding, exit_status, print_finding
from companion.cli.doctor.health import wait_for_health
from companion.cli.doctor.reading import reads_dice
from companion.cli.doctor.self_test import self_test
from companion.cli.serve import default_data
from companion.cli.words import refuse, sentence
from companion.service.machine.sensors import Sensors
from companion.service.settings import Settings

HEALTHY_WITHIN_S = 30.0


class DoctorOptions(TypedDict):
    """The options of `doctor`."""

    data: Path | None
    source: str
    port: int
    as_json: bool
    testing: bool
    health: bool
    file: Path | None
    shared: tuple[str, ...]


@click.command()
@click.option(
    "--data", type=click.Path(path_type=Path), help="The data folder; that of serve by default."
)
@click.option("--camera", "source", default="none", help="The camera, as for serve.")
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=click.IntRange(1, 65535),
    help="The service's port.",
)
@click.option("--json", "as_json", is_flag=True, help="One object a finding.")
@click.option(
    "--self-test",
    "testing",
    is_flag=True,
    help="Test this installation instead, and a copy of the log, as an update does.",
)
@click.option("--health", is_flag=True, help="Only wait until the service answers, for 30 seconds.")
@click.option(
    "--bundle",
    "file",
    type=click.Path(path_type=Path),
    help="Write all this, the last log lines and the newest games into one file for support.",
)
@click.option(
    "--with",
    "shared",
    multiple=True,
    type=click.Choice(SHARED),
    help="What the file may hold as well; by default nothing that names or shows somebody.",
)
def doctor(**given: Unpack[DoctorOptions]) -> None:
    """Look at camera, reader, disk, clock, network and power: a line each, and what to do."""
    found = []
    for one in _findings(given):
        print_finding(one, as_json=given["as_json"])
        found.append(one)
    if given["file"] is not None:
        _write_bundle(given["file"], given, found)
    raise SystemExit(exit_status(found))


def _write_bundle(path: Path, given: DoctorOptions, found: list[Finding]) -> None:
    try:
        names = Bundle(given["data"] or default_data(), given["shared"]).write(path, found)
    except OSError as refusal:
        refuse("error.cannot_save", path=str(path), reason=refusal.strerror or "")
    click.echo(sentence("doctor.bundle", path=str(path), names=", ".join(names)), err=True)


def _findings(given: DoctorOptions) -> Iterable[Finding]:
    data = given["data"] or default_data()
    if given["health"]:
        return [wait_for_health(given["port"], HEALTHY_WITHIN_S)]
    if given["testing"]:
        return self_test(data)
    return examine(data, given["source"], given["port"])


def examine(data: Path, source: str, port: int) -> Iterator[Finding]:
    """Yield every finding. A running table is asked, never touched."""
    sensors = Sensors()
    yield table.service(data, port)
    yield table.starts(data)
    yield camera(source, in_use=table.is_served(data))
    yield reads_dice()
    yield table.log(data)
    yield machine.disk(data)
    yield machine.clock()
    yield table.network(Settings(data=data, port=port))
    yield machine.power(sensors)
    yield machine.temperature(sensors)
    yield machine.memory(sensors)

"""Diagnoses about the table: its data folder, the service that plays it, and its network."""

from __future__ import annotations

import socket
from pathlib import Path

from companion.cli.doctor.diagnoses import Diagnosis, Verdict, diagnosis
from companion.cli.doctor.health import ask_health, service_diagnosis
from companion.service.machine.starts import Starts
from companion.service.network.listening import Listening
from companion.service.network.phone_addresses import PhoneAddresses
from companion.service.settings import Settings
from companion.table.backup import check_log
from companion.table.database import FILE_NAME
from companion.table.log import LOCK_NAME

LOCKS = Path("/proc/locks")


def log(data: Path) -> Diagnosis:
    """Check the chains of the log, without changing anything."""
    try:
        found = check_log(data / FILE_NAME)
    except FileNotFoundError:
        return diagnosis("log", Verdict.OK, "no_log")
    except OSError as refusal:
        reason = refusal.strerror or ""
        return diagnosis("log", Verdict.BAD, "log_broken", reason=reason)
    rows = sum(game.rows for game in found.games)
    lost = sum(gap.last - gap.first + 1 for game in found.games for gap in game.lost)
    if not found.whole:
        return diagnosis("log", Verdict.BAD, "log_damaged", rows=rows, lost=lost)
    return diagnosis("log", Verdict.OK, "log_whole", games=len(found.games), rows=rows)


def starts(data: Path) -> Diagnosis:
    """Look at how the last starts went."""
    failed = Starts(data).failed
    if failed > 1:
        return diagnosis("starts", Verdict.LOOK, "starts_failed", number=failed)
    return diagnosis("starts", Verdict.OK, "starts")


def service(data: Path, at: Listening) -> Diagnosis:
    """Ask the service that listens there how it is."""
    answer, port = ask_health(at), at.port
    if answer is not None:
        return service_diagnosis(answer, port)
    if is_served(data):
        return diagnosis("service", Verdict.LOOK, "service_elsewhere", port=port)
    if _is_taken(at):
        return diagnosis("service", Verdict.BAD, "port_taken", port=port, other=port + 1)
    return diagnosis("service", Verdict.OK, "service_off", port=port)


def network(settings: Settings) -> Diagnosis:
    """Look for an address by which phones reach this machine."""
    addresses = PhoneAddresses(settings)
    if addresses.is_out_of_reach:
        return diagnosis("network", Verdict.BAD, "no_network", name=socket.gethostname())
    urls = ", ".join(addresses.urls)
    return diagnosis("network", Verdict.OK, "network", urls=urls, name=socket.gethostname())


def is_served(data: Path, locks: Path = LOCKS) -> bool:
    """Return whether a service holds the folder's lock, without touching the lock."""
    try:
        inode = (data / LOCK_NAME).stat().st_ino
        held = locks.read_text("ascii", "replace").splitlines()
    except OSError:
        return False
    return any(
        fields[1] == "FLOCK" and fields[5].rpartition(":")[2] == str(inode)
        for fields in map(str.split, held)
        if len(fields) >= 8
    )


def _is_taken(at: Listening) -> bool:
    try:
        socket.create_connection((at.reached_at, at.port), timeout=1.0).close()
    except (OSError, ValueError):
        return False
    return True

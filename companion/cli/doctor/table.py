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
from companion.storage.database.checking import CheckedFile, check_log
from companion.storage.database.siblings import DATABASES
from companion.table.folder_lock import LOCK_NAME

LOCKS = Path("/proc/locks")


def log(data: Path) -> Diagnosis:
    """Check the chain of every log in the folder, without changing anything."""
    try:
        paths = sorted(path for path in data.iterdir() if DATABASES.fullmatch(path.name))
        files = [check_log(path) for path in paths]
    except FileNotFoundError:
        return diagnosis("log", Verdict.OK, "no_log")
    except OSError as refusal:
        reason = refusal.strerror or ""
        return diagnosis("log", Verdict.BAD, "log_broken", reason=reason)
    if not files:
        return diagnosis("log", Verdict.OK, "no_log")
    return _log_diagnosis(files)


def _log_diagnosis(files: list[CheckedFile]) -> Diagnosis:
    tables = [table for file in files for table in file.tables]
    rows, proven = sum(one.rows for one in tables), sum(one.proven for one in tables)
    if not all(file.whole for file in files):
        return diagnosis("log", Verdict.BAD, "log_damaged", rows=rows, lost=rows - proven)
    return diagnosis("log", Verdict.OK, "log_whole", games=len(tables), rows=rows)


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

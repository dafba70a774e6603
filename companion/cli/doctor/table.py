"""Findings about the table: its data folder, the service that plays it, and its network."""

from __future__ import annotations

import socket
from pathlib import Path

from companion.cli.doctor.findings import Finding, Verdict, finding
from companion.cli.doctor.health import ask_health, service_finding
from companion.service.app_state import LOCK_NAME
from companion.service.machine.starts import Starts
from companion.service.network.phone_addresses import PhoneAddresses
from companion.service.settings import Settings
from companion.storage.database.checking import CheckedFile, check_log
from companion.storage.database.siblings import DATABASES

LOCKS = Path("/proc/locks")


def log(data: Path) -> Finding:
    """Check the chain of every log in the folder, without changing anything."""
    try:
        paths = sorted(path for path in data.iterdir() if DATABASES.fullmatch(path.name))
        files = [check_log(path) for path in paths]
    except FileNotFoundError:
        return finding("log", Verdict.OK, "no_log")
    except OSError as refusal:
        reason = refusal.strerror or ""
        return finding("log", Verdict.BAD, "log_broken", reason=reason)
    if not files:
        return finding("log", Verdict.OK, "no_log")
    return _log_finding(files)


def _log_finding(files: list[CheckedFile]) -> Finding:
    tables = [table for file in files for table in file.tables]
    rows, proven = sum(one.rows for one in tables), sum(one.proven for one in tables)
    if not all(file.whole for file in files):
        return finding("log", Verdict.BAD, "log_damaged", rows=rows, lost=rows - proven)
    return finding("log", Verdict.OK, "log_whole", games=len(tables), rows=rows)


def starts(data: Path) -> Finding:
    """Look at how the last starts went."""
    failed = Starts(data).failed
    if failed > 1:
        return finding("starts", Verdict.LOOK, "starts_failed", number=failed)
    return finding("starts", Verdict.OK, "starts")


def service(data: Path, port: int) -> Finding:
    """Ask the service on this port how it is."""
    answer = ask_health(port)
    if answer is not None:
        return service_finding(answer, port)
    if is_served(data):
        return finding("service", Verdict.LOOK, "service_elsewhere", port=port)
    if _is_taken(port):
        return finding("service", Verdict.BAD, "port_taken", port=port, other=port + 1)
    return finding("service", Verdict.OK, "service_off", port=port)


def network(settings: Settings) -> Finding:
    """Look for an address by which phones reach this machine."""
    addresses = PhoneAddresses(settings)
    if addresses.is_out_of_reach:
        return finding("network", Verdict.BAD, "no_network", name=socket.gethostname())
    urls = ", ".join(addresses.urls)
    return finding("network", Verdict.OK, "network", urls=urls, name=socket.gethostname())


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


def _is_taken(port: int) -> bool:
    with socket.socket() as asking:
        asking.settimeout(1.0)
        return asking.connect_ex(("127.0.0.1", port)) == 0

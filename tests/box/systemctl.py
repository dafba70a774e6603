"""What stands in for systemd on a machine that has none: the `systemctl` of the emulated one.

Enables, starts, stops and shows the service by its unit: `Type=notify`, user, environment. No
sandbox, watchdog, limit or restart. Standard library alone, as it is copied into the machine.
"""

from __future__ import annotations

import grp
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

UNITS = Path("/usr/lib/systemd/system")
WANTED = Path("/etc/systemd/system/multi-user.target.wants")
RUN = Path("/run")
LOG = RUN / "monster-table.log"
SERVICE = "monster-table.service"
START_S, STOP_S = 600.0, 60.0


def settings(unit: str) -> dict[str, list[str]]:
    """Return the lines of a unit by their key."""
    found: dict[str, list[str]] = {}
    for line in (UNITS / unit).read_text("utf-8").splitlines():
        key, is_setting, value = line.partition("=")
        if is_setting and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def main_pid(unit: str) -> int:
    """Return the number of the unit's process; 0 where it has ended, waited for or not."""
    try:
        pid = int((RUN / f"{unit}.pid").read_text())
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, ValueError):
        return 0
    return 0 if state == "Z" else pid


def properties(unit: str) -> dict[str, str]:
    """Return what is known of a unit, by systemd's names."""
    pid, is_wanted = main_pid(unit), os.path.lexists(WANTED / unit)
    return {
        "LoadState": "loaded",
        "UnitFileState": "enabled" if is_wanted else "disabled",
        "ActiveState": "active" if pid else "inactive",
        "MainPID": str(pid),
    }


def enable(unit: str) -> None:
    """Let the unit be started by what wants it: Debian presets every unit to that."""
    WANTED.mkdir(parents=True, exist_ok=True)
    if not os.path.lexists(WANTED / unit):
        (WANTED / unit).symlink_to(UNITS / unit)


def stop(unit: str) -> None:
    """End the unit's process."""
    pid, until = main_pid(unit), time.monotonic() + STOP_S
    if pid:
        os.kill(pid, signal.SIGTERM)
    while main_pid(unit):
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)


def start(unit: str) -> str:
    """Start the unit unless it runs, wait until it is ready, and return what went wrong."""
    if main_pid(unit):
        return ""
    given = settings(SERVICE)
    (user,) = given["User"]
    entry, groups = pwd.getpwnam(user), given.get("SupplementaryGroups", [])
    environment = dict(line.split("=", 1) for line in given["Environment"])
    address = RUN / "notify"
    address.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified, LOG.open("a") as log:
        notified.bind(str(address))
        address.chmod(0o666)
        notified.settimeout(1.0)
        service = subprocess.Popen(
            given["ExecStart"][0].split(),
            env=os.environ | environment | {"NOTIFY_SOCKET": str(address)},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            user=entry.pw_uid,
            group=entry.pw_gid,
            extra_groups=[grp.getgrnam(group).gr_gid for group in groups],
        )
        until = time.monotonic() + START_S
        while service.poll() is None and time.monotonic() < until:
            with suppress(TimeoutError):
                if b"READY=1" in notified.recv(4096).split(b"\n"):
                    (RUN / f"{SERVICE}.pid").write_text(str(service.pid))
                    return ""
    service.kill()
    return f"Job for {SERVICE} failed: the service ended with {service.wait()}"


def main(given: list[str]) -> int:
    """Do what is asked; return the exit status."""
    words = [word for word in given if not word.startswith("-")]
    verb, units = words[0], [unit for unit in words[1:] if unit == SERVICE]
    running = [unit for unit in units if main_pid(unit)]
    if verb == "list-units":
        sys.stdout.writelines(f"{unit} loaded active running\n" for unit in running)
    if verb == "try-restart":
        verb, units = "restart", running
    if verb == "preset":
        for unit in units:
            enable(unit)
    if verb == "show":
        known = properties(units[0])
        for name in known.keys() & set(re.findall("[A-Z][A-Za-z]+", " ".join(given))):
            print(known[name] if "--value" in given else f"{name}={known[name]}")
    if verb == "is-active":
        print(properties(units[0])["ActiveState"])
    if verb == "is-enabled":
        print(properties(units[0])["UnitFileState"])
    if verb in {"stop", "restart"}:
        for unit in units:
            stop(unit)
    if verb in {"start", "restart"}:
        failures = [failure for unit in units if (failure := start(unit))]
        sys.stderr.writelines(f"{failure}\n" for failure in failures)
        return 1 if failures else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A phone in the Wi-Fi of a machine: a network namespace with a cable to the machine's."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.box.machine import Machine

WIFI = """
ip link add wifi type veth peer name phone netns {phone}
ip address add 10.42.0.1/24 dev wifi
ip link set wifi up
nsenter -t {phone} -n ip address add 10.42.0.50/24 dev phone
nsenter -t {phone} -n ip link set phone up
"""
ASKS = """
import urllib.request
asked = urllib.request.Request("http://10.42.0.1/generate_204")
asked.add_header("Host", "connectivitycheck.gstatic.com")
try:
    print(urllib.request.urlopen(asked, timeout=10).status)
except OSError as refused:
    print(type(getattr(refused, "reason", refused)).__name__)
"""


@contextmanager
def phone(machine: Machine) -> Iterator[Callable[[], str]]:
    """A network of its own with a cable to the machine; yields what asks for the internet there."""
    with subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE) as process:
        here = Path("/proc/self/ns/net").readlink()
        while Path(f"/proc/{process.pid}/ns/net").readlink() == here:
            time.sleep(0.05)
        cable = WIFI.format(phone=process.pid)
        inside = ["nsenter", "-t", str(machine.pid), "-n"]
        subprocess.run([*inside, "sh", "-euc", cable], check=True)
        asks = ["nsenter", "-t", str(process.pid), "-n", sys.executable, "-c", ASKS]
        yield lambda: subprocess.run(
            asks, capture_output=True, text=True, check=True
        ).stdout.strip()
        assert process.stdin is not None
        process.stdin.close()

"""What the package and its units ask of the helper, a function for each command."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from box_hotspot import HotspotError, Places, WrongWifiError, set_up
from box_paths import Box, ReleaseError, locked
from box_port import announce, redirect
from box_releases import KEPT, OF_PACKAGE, fits, is_older, make, prune, served, switch, version_of
from box_terminal import companion
from box_trial import SteppedBackError, is_wanted, self_test, serve, try_out
from box_update import answer_request, settle_trial

FAILED, WRONG_USAGE = 1, 2
AVAHI = Path("/etc/avahi/services")
USAGE = (
    "usage: helper install VERSION [CONFIGURED] | renew VERSION | update | settle | back-off"
    " | avahi | redirect | hotspot NAME PASSWORD-FILE | companion …"
)


def install(box: Box, version: str, configured: str = "") -> None:
    """Let the package's own version serve, unless a later one works that did not come by dpkg.

    `configured`: the version that dpkg had before. Where it was this one or a later one, the
    package's own is asked for.
    """
    before = served(box)
    later = version_of(before)
    asked = version == configured or is_older(version, configured)
    if not asked and is_older(version, later) and _works(box, version):
        print(f"monster-table: {later} serves and is newer than {version}; it stays.")
        print(f"`sudo dpkg-reconfigure monster-table` lets {version} serve instead.", flush=True)
    else:
        serve_made_of(box, box.home / "wheels", version, of_package=True)
    if before is not None and served(box) == before:
        _bring_into_force(box, before)


def _bring_into_force(box: Box, release: Path) -> None:
    """Restart what serves already: what the package has beside it, such as its unit, is new."""
    if is_wanted(box) and (reason := try_out(box, release)):
        raise ReleaseError(reason)


def _works(box: Box, version: str) -> bool:
    """True where the release that serves passes its test, made once more if it has to be."""
    now = served(box)
    try:
        if now is not None and fits(now):
            self_test(box, now)
        else:
            renew(box, version)
    except ReleaseError as broken:
        print(f"monster-table: {version_of(now)} does not work: {broken}", flush=True)
        return False
    return True


def renew(box: Box, version: str) -> None:
    """Make the release that serves once more where Debian has another Python since."""
    now = served(box)
    if fits(now):
        return
    if now is not None and (now / KEPT).is_dir():
        of_package = (now / OF_PACKAGE).is_file()
        serve_made_of(box, now / KEPT, version_of(now), of_package=of_package)
    elif is_older(version, version_of(now)):
        raise ReleaseError(f"{version} is older than {version_of(now)}, which serves")
    else:
        serve_made_of(box, box.home / "wheels", version, of_package=True)


def serve_made_of(box: Box, wheels: Path, version: str, *, of_package: bool) -> None:
    """Make a release of wheels, and let it serve if it works."""
    try:
        release = make(box, wheels, version)
        if of_package:
            (release / OF_PACKAGE).touch()
        if served(box) is None:
            self_test(box, release)
            switch(box, release)
        else:
            serve(box, release)
    except SteppedBackError as failed:
        raise ReleaseError(f"{failed}; the release before serves again") from failed
    finally:
        prune(box)


def changes(box: Box, arguments: list[str]) -> int:
    """Do what changes the releases, one helper at a time; an interrupted trial comes first."""
    with locked(box, wait=arguments != ["settle"]) as ours:
        if not ours:
            return 0
        settle_trial(box)
        match arguments:
            case ["install", version, *configured]:
                install(box, version, *configured[:1])
            case ["renew", version]:
                renew(box, version)
            case ["update"]:
                return 0 if answer_request(box) else 1
    return 0


def make_known(box: Box, arguments: list[str]) -> int:
    """Tell Avahi or the hotspot how the service is reached, or make the hotspot."""
    match arguments:
        case ["avahi"]:
            announce(box.state, box.home / "avahi.service", AVAHI)
        case ["redirect"]:
            return 0 if redirect(box.state, box.home / "hotspot" / "redirect.nft") else FAILED
        case [_, name, file]:
            try:
                set_up(Places(), name, Path(file))
            except HotspotError as refused:
                print(refused, file=sys.stderr)
                return WRONG_USAGE if isinstance(refused, WrongWifiError) else FAILED
    return 0


def main(arguments: list[str]) -> int:
    """Do what is asked; a failure is one line, and status 1."""
    box = Box()
    match arguments:
        case ["companion", *_]:
            pass
        case ["install", _] | ["install", _, _] | ["renew", _] | ["update" | "settle"]:
            os.umask(0o022)
            signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        case ["avahi"] | ["redirect"] | ["hotspot", _, _]:
            return make_known(box, arguments)
        case _:
            print(USAGE, file=sys.stderr)
            return WRONG_USAGE
    try:
        if arguments[0] == "companion":
            return companion(box, arguments[1:])
        return changes(box, arguments)
    except (ReleaseError, OSError) as failed:
        print(f"monster-table: {failed}", file=sys.stderr)
        return 1

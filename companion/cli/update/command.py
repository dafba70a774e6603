"""The command `companion update`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict, Unpack

import click
import msgspec

from companion.cli.options.values import Folder, InputFile, Number
from companion.cli.update.package import UpdateError, checked_package
from companion.cli.update.spool import SPOOL, Spool, Status
from companion.cli.usage import refuse_both, refuse_without
from companion.cli.words import FAILED, refuse, sentence
from companion.redaction import redacted

UNTAKEN_S = 120.0
"""Time after which nobody takes the request any more: the helper may still be removing what an
update before this one has left, on a slow card."""
POLL_S = 0.2


class UpdateOptions(TypedDict):
    """The options of `update`."""

    file: Path | None
    back: bool
    older: bool
    spool: Path
    wait: int
    as_json: bool


@click.command(epilog="Example: sudo companion update monster-table.deb")
@click.argument("file", required=False, type=InputFile())
@click.option("--back", is_flag=True, help="Go back to the previous version.")
@click.option("--older", is_flag=True, help="Install FILE even if it is an older version.")
@click.option(
    "--spool",
    type=Folder(),
    default=SPOOL,
    show_default=True,
    help="The folder that the update helper watches.",
)
@click.option(
    "--wait",
    default=900,
    show_default=True,
    type=Number(1, 86_400),
    help="How many seconds to follow the update.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a step.")
def update(**given: Unpack[UpdateOptions]) -> None:
    """Install a newer version, test it, and serve it. If it fails the test, the previous version
    goes on.
    """
    file, spool = given["file"], Spool(given["spool"])
    if file is None and not given["back"]:
        raise click.MissingParameter(param=click.get_current_context().command.params[0])
    if file is not None and given["back"]:
        refuse_both("FILE", "--back")
    if given["back"] and given["older"]:
        refuse_without("--older", "FILE")
    try:
        if file is None:
            spool.step_back()
        else:
            package = checked_package(file)
            spool.install(file, package, older=given["older"])
            click.echo(sentence("update.asked", version=package.version), err=True)
    except UpdateError as wrong:
        refuse(wrong.key, **wrong.params)
    _follow(spool, given["wait"], as_json=given["as_json"])


def _follow(spool: Spool, wait_s: float, *, as_json: bool) -> None:
    """Print each step until the update has ended; exit status 1 where the new version does not
    serve.
    """
    last: Status | None = None
    for status in _changes(spool, wait_s):
        _print(status, as_json=as_json)
        last = status
    if last is None and spool.withdraw():
        click.echo(sentence("update.untaken", unit="monster-table-update.path"), err=True)
    elif last is None or not last.done:
        click.echo(sentence("update.late", unit="monster-table-update"), err=True)
    if last is None or not (last.done and last.ok):
        raise SystemExit(FAILED)


def _changes(spool: Spool, wait_s: float) -> Iterator[Status]:
    """Yield the helper's status whenever it is another one, as long as it may take."""
    began, last = time.monotonic(), None
    while (passed_s := time.monotonic() - began) < wait_s:
        status = spool.status()
        if status is not None and status != last:
            last = status
            yield status
            if status.done:
                return
        if last is None and passed_s > UNTAKEN_S:
            return
        time.sleep(POLL_S)


def _print(status: Status, *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(status).decode())
        return
    step = status.step.replace("-", "_")
    key = "update.done" if status.step == "healthy" and status.ok else f"update.step.{step}"
    reason = "".join(sign for sign in status.reason if sign.isprintable())
    click.echo(" ".join((sentence(key), redacted(reason))).strip())

"""Findings: one line for each thing that is looked at, with a verdict and what to do."""

from __future__ import annotations

from enum import StrEnum

import click
import msgspec

from companion.cli.words import FAILED, sentence


class Verdict(StrEnum):
    """What a finding comes to."""

    OK = "ok"
    LOOK = "look"
    """The table can be played; somebody should look at it."""
    BAD = "bad"
    """Something does not work."""


class Finding(msgspec.Struct, frozen=True):
    """What was found of one thing. `about`: the thing, in one word; `do`: what to do, "" for
    nothing.
    """

    about: str
    verdict: Verdict
    found: str
    do: str = ""


def finding(about: str, verdict: Verdict, key: str, **params: str | int) -> Finding:
    """Return the finding in the words of `doctor.KEY`; `doctor.do.KEY` says what to do."""
    do = "" if verdict is Verdict.OK else sentence(f"doctor.do.{key}", **params)
    return Finding(about, verdict, sentence(f"doctor.{key}", **params), do)


def print_finding(one: Finding, *, as_json: bool) -> None:
    """Print a finding: one line for people, or one object for a script."""
    if as_json:
        click.echo(msgspec.json.encode(one).decode())
    else:
        click.echo(f"{one.verdict:<4}  {one.about:<12}  {' '.join((one.found, one.do)).strip()}")


def exit_status(found: list[Finding]) -> int:
    """Return the exit status: 1 where something does not work."""
    return FAILED if any(one.verdict is Verdict.BAD for one in found) else 0

"""Diagnoses: one line for each thing that is looked at, with a verdict and what to do."""

from __future__ import annotations

from enum import StrEnum

import click
import msgspec

from companion.cli.words import FAILED, in_one_line, sentence


class Verdict(StrEnum):
    """What a diagnosis comes to."""

    OK = "ok"
    LOOK = "look"
    """The table can be played; somebody should look at it."""
    BAD = "bad"
    """Something does not work."""


class Diagnosis(msgspec.Struct, frozen=True):
    """What was found of one thing. `about`: the thing, in one word; `do`: what to do, "" for
    nothing.
    """

    about: str
    verdict: Verdict
    found: str
    do: str = ""


def diagnosis(about: str, verdict: Verdict, key: str, **params: str | int) -> Diagnosis:
    """Return the diagnosis in the words of `doctor.KEY`; `doctor.do.KEY` says what to do."""
    do = "" if verdict is Verdict.OK else sentence(f"doctor.do.{key}", **params)
    return Diagnosis(about, verdict, sentence(f"doctor.{key}", **params), do)


def print_diagnosis(one: Diagnosis, *, as_json: bool, err: bool = False) -> None:
    """Print a diagnosis: one line for people, or one object for a script. `err`: on standard
    error.
    """
    if as_json:
        click.echo(msgspec.json.encode(one).decode(), err=err)
    else:
        words = in_one_line(f"{one.found} {one.do}")
        click.echo(f"{one.verdict:<4}  {one.about:<12}  {words}", err=err)


def exit_status(found: list[Diagnosis]) -> int:
    """Return the exit status: 1 where something does not work."""
    return FAILED if any(one.verdict is Verdict.BAD for one in found) else 0

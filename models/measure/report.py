"""Write the results of `python -m models.evaluate test` as `models/REPORT.md`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from models.dataset import EVENING
from models.measure.classical import Baseline
from models.measure.counting import OUTCOMES, Rolls, Tally, calibration_error, share, wilson
from models.measure.evenings import PARTS, Evenings
from models.places import TARGET

PATH: Final = TARGET / "REPORT.md"
WORST: Final = 12


@dataclass(frozen=True, slots=True)
class Run:
    """What a run found: of the reader, of the reader that is not given the number of dice,
    and of the baseline; of evenings; and how long a still took, ms of processor time.
    """

    given: Tally
    unaided: Tally
    baseline: Baseline
    evenings: Evenings
    milliseconds: float


def written(run: Run, networks: str) -> None:
    """Write the report beside the networks of a commit."""
    PATH.write_text("\n".join(_lines(run, networks)) + "\n", encoding="utf-8")


def of_test(tally: Tally) -> dict[str, float]:
    """The figures of the own test split for `dice.json`, with a known number of dice."""
    rolls = tally.rolls
    return {
        "test_rolls": rolls.fit + rolls.refuse,
        "test_refuse": rolls.refuse,
        "test_dice": rolls.dice,
        "test_top_class": _rounded(rolls.top, rolls.dice),
        "test_exact": _rounded(rolls.exact, rolls.fit),
        "test_coverage": _rounded(rolls.sure, rolls.fit),
        "test_silent_errors": rolls.silent,
        "test_calibration_error": round(calibration_error(tally.chances), 4),
    }


def of_evenings(found: Evenings) -> dict[str, float]:
    """The figures of the test split's evenings for `dice.json`, with a known number of dice."""
    rolls = found.taught[0].rolls
    return {
        "evening_rolls": rolls.fit + rolls.refuse,
        "evening_refuse": rolls.refuse,
        "evening_exact": _rounded(rolls.exact, rolls.fit),
        "evening_coverage": _rounded(rolls.sure, rolls.fit),
        "evening_silent_errors": rolls.silent,
    }


def of_stills(tally: Tally) -> dict[str, float]:
    """The figures of a folder of stills for `dice.json`, without a known number of dice."""
    dice = sum(tally.dice.values())
    return {
        "stills": tally.stills["sureable"] + tally.stills["other"],
        "stills_dice": dice,
        "stills_top_class": _rounded(tally.top_class, dice),
        "stills_named": _rounded(tally.dice["right"], dice),
        "stills_sureable": tally.stills["sureable"],
        "stills_called_sure": tally.stills["sureable called sure"],
        "stills_silent_errors": len(tally.silent),
    }


def _rounded(hits: int, total: int) -> float:
    return round(hits / max(1, total), 4)


def _lines(run: Run, networks: str) -> Iterator[str]:
    rolls = run.given.rolls
    yield "# What the reader gets right on its own test split"
    yield ""
    yield "Written by `python -m models.evaluate test`; not to be changed by hand. Every share is"
    yield "preceded by its counts and followed by its 95 % Wilson interval. Drawings, textures of"
    yield "the ground and sectors of light of these pictures were never trained on."
    yield ""
    yield f"Networks of commit {networks}; {rolls.fit + rolls.refuse} rolls, of which"
    yield f"{rolls.refuse} must be refused: not flat, cut off, hidden, foreign, blinded, too small."
    yield "Where the number of dice is not known, so must rolls of another number than is usual."
    yield f"Median processor time of a read, decoded: {run.milliseconds:.1f} ms on one thread."
    yield ""
    yield from _summary(run)
    yield ""
    yield "## Evenings: the table teaches the reader its box"
    yield ""
    yield f"{EVENING} rolls of one box follow one another. What the table says of a roll is known"
    yield "when the second one after it is read; the number of dice is known too."
    yield ""
    yield from evening_lines(run.evenings)
    yield ""
    yield "## The classical baseline on the same pictures"
    yield ""
    yield "Edges find squares, template matching with every training drawing names them."
    yield ""
    line = run.baseline
    yield f"- named at the true corners: {share(line.named_given, line.dice)}"
    yield f"- found by their edges: {share(line.found, line.dice)}"
    yield f"- found and rightly named: {share(line.named, line.dice)}"
    yield f"- rolls exact: {share(line.exact, line.rolls)}"
    yield ""
    yield from _faces(run.given)
    yield ""
    yield from _drawings(run.given)
    yield ""
    yield from _tags(run.given)
    yield ""
    yield from _doubts(run.given)


def _summary(run: Run) -> Iterator[str]:
    yield "| | number of dice known, as in play | not known |"
    yield "| --- | --- | --- |"
    both = (run.given, run.unaided)
    for name, cells in (
        ("dice of fit rolls, likeliest face right", [_top(t.rolls) for t in both]),
        ("fit rolls exact", [share(t.rolls.exact, t.rolls.fit) for t in both]),
        ("fit rolls called sure (coverage)", [share(t.rolls.sure, t.rolls.fit) for t in both]),
        ("must be refused, refused", [share(t.rolls.refused, t.rolls.refuse) for t in both]),
        ("**silent errors**, of all rolls", [_silent(t.rolls) for t in both]),
        ("calibration error (ECE, 15 bins)", [_ece(t) for t in both]),
        ("finds that are no die", [str(t.extra) for t in both]),
    ):
        yield f"| {name} | {cells[0]} | {cells[1]} |"


def evening_lines(found: Evenings) -> Iterator[str]:
    """Write the results of a reader that learns prints, and of one that does not, as lines."""
    yield "| rolls of an evening | | fit rolls exact | called sure (coverage) | **silent errors** |"
    yield "| --- | --- | --- | --- | --- |"
    for (first, after), taught, plain in zip(PARTS, found.taught, found.untaught, strict=True):
        for name, rolls in (("taught", taught.rolls), ("nothing learnt", plain.rolls)):
            yield (
                f"| {first + 1} to {after} | {name} | {share(rolls.exact, rolls.fit)} "
                f"| {share(rolls.sure, rolls.fit)} | {_silent(rolls)} |"
            )
    everything = found.taught[0]
    rolls = everything.rolls
    yield ""
    yield f"Of the {rolls.fit + rolls.refuse} rolls {rolls.refuse} must be refused. Taught, of"
    yield f"the dice of the others {_top(rolls)} are"
    yield f"rightly named; ECE {_ece(everything)}. Why fit rolls were not called sure:"
    yield ", ".join(f"{name} {times}" for name, times in everything.problems.most_common()) + "."
    yield ""
    yield "Silent errors: " + ("; ".join(everything.silent) or "none") + "."


def _top(rolls: Rolls) -> str:
    return share(rolls.top, rolls.dice)


def _silent(rolls: Rolls) -> str:
    total = rolls.fit + rolls.refuse
    return f"{share(rolls.silent, total)}; at most {wilson(rolls.silent, total)[1]:.2%}"


def _ece(tally: Tally) -> str:
    return f"{calibration_error(tally.chances):.4f}, n = {len(tally.chances)}"


def _faces(tally: Tally) -> Iterator[str]:
    yield "## By face (all countable dice, the number of dice known)"
    yield ""
    yield "| face | " + " | ".join(OUTCOMES) + " | rightly named |"
    yield "| --- |" + " --- |" * (len(OUTCOMES) + 1)
    for face, row in sorted(tally.faces.items()):
        cells = " | ".join(str(row[outcome]) for outcome in OUTCOMES)
        yield f"| {face} | {cells} | {share(row['right'], sum(row.values()))} |"
    yield ""
    yield "Most often taken for another: " + ", ".join(
        f"{true} for {said} {times} times" for (true, said), times in tally.confused.most_common(8)
    )


def _drawings(tally: Tally) -> Iterator[str]:
    yield "## The drawings most often misread (likeliest face)"
    yield ""
    worst = sorted(tally.drawings.items(), key=lambda row: row[1][True] / sum(row[1].values()))
    for name, row in worst[:WORST]:
        yield f"- {name}: {share(row[True], sum(row.values()))}"


def _tags(tally: Tally) -> Iterator[str]:
    yield "## By tag (the number of dice known)"
    yield ""
    yield "| tag | dice right | rolls exact | coverage | refused | silent |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for tag, rolls in sorted(tally.rolls_by_tag.items()):
        fit = ("", "", "")
        if rolls.fit:
            fit = (_top(rolls), share(rolls.exact, rolls.fit), share(rolls.sure, rolls.fit))
        refused = share(rolls.refused, rolls.refuse) if rolls.refuse else ""
        silent = share(rolls.silent, rolls.fit + rolls.refuse)
        yield f"| {tag} | {' | '.join(fit)} | {refused} | {silent} |"


def _doubts(tally: Tally) -> Iterator[str]:
    yield "## Why fit rolls were not called sure"
    yield ""
    for problem, times in tally.problems.most_common():
        yield f"- {problem}: {times}"
    yield ""
    yield "## Silent errors, one by one"
    yield ""
    for name in tally.silent or ["none"]:
        yield f"- {name}"

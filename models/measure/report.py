"""The report `models/REPORT.md`, and the figures for `dice.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from models.measure.counting import Results, calibration_error, share
from models.places import TARGET

PATH: Final = TARGET / "REPORT.md"
WORST: Final = 12


def write_report(parts: Mapping[str, Results], networks: str) -> None:
    """Write the report beside the networks of a commit."""
    PATH.write_text("\n".join(_lines(parts, networks)) + "\n", encoding="utf-8")


def measured(parts: Mapping[str, Results]) -> dict[str, float]:
    """The figures of the test split for `dice.json`."""
    found: dict[str, float] = {}
    for key, name in (("test", "rolls"), ("evening", "played")):
        rolls = parts[name].rolls
        found |= {
            f"{key}_rolls": rolls.total,
            f"{key}_dice": rolls.dice,
            f"{key}_top_class": _rounded(rolls.top, rolls.dice),
            f"{key}_exact": _rounded(rolls.exact, rolls.fit),
            f"{key}_coverage": _rounded(rolls.sure, rolls.fit),
            f"{key}_silent_errors": rolls.silent,
            f"{key}_calibration_error": round(calibration_error(parts[name].chances), 4),
        }
    return found


def of_stills(results: Results) -> dict[str, float]:
    """The figures of a folder of stills for `dice.json`."""
    rolls, dice = results.rolls, results.dice.total()
    first = sum(row[True] for row in results.drawings.values())
    return {
        "stills": rolls.total,
        "stills_dice": dice,
        "stills_top_class": _rounded(first, dice),
        "stills_named": _rounded(results.dice["right"], dice),
        "stills_sureable": rolls.fit,
        "stills_called_sure": rolls.sure,
        "stills_silent_errors": rolls.silent,
    }


def _rounded(hits: int, total: int) -> float:
    return round(hits / max(1, total), 4)


def _lines(parts: Mapping[str, Results], networks: str) -> Iterator[str]:
    yield "# What the reader gets right on its own test split\n"
    yield "Written by `python -m models.evaluate report`; not to be changed by hand. Every share is"
    yield "preceded by its counts and followed by its 95 % Wilson interval, for which rolls of one"
    yield "box count as independent: of known boxes it is too narrow. Drawings, textures of the"
    yield "ground and sectors of light of these pictures were never trained on. The number of"
    yield f"dice is known, as in play, unless stated. Networks of commit {networks}.\n"
    yield "| set | dice of fit rolls right | fit rolls sure | **silent errors** | lean unseen |"
    yield "| --- | --- | --- | --- | --- |"
    for name, results in parts.items():
        rolls = results.rolls
        yield (
            f"| {name} | {share(rolls.top, rolls.dice)} | {share(rolls.sure, rolls.fit)} "
            f"| {share(rolls.silent, rolls.total)} | {rolls.leaning} |"
        )
    yield ""
    yield "*Lean unseen*: sure rolls with a leaning die that was not noticed: a fuse applies them."
    yield ""
    for name, results in parts.items():
        seen, labelled = results.strangers, results.labelled
        if seen:
            read = share(seen["a face"], seen.total())
            yield f"- {name}: other games' dice surely read as a face {read}"
        if labelled:
            read = share(labelled[True], labelled.total())
            yield f"- {name}: dice learned under their own face {read}"
    yield ""
    yield from _of_rolls(parts["rolls"])
    for name, results in parts.items():
        yield f"\n## {name}: silent errors, and why fit rolls were not sure\n"
        yield from (f"- {still}" for still in results.silent or ["no silent error"])
        reasons = results.problems.most_common()
        yield f"- not sure: {', '.join(f'{name} {times}' for name, times in reasons) or 'none'}"


def _of_rolls(results: Results) -> Iterator[str]:
    error = calibration_error(results.chances)
    yield f"Calibration error of rolls (15 bins): {error:.4f}, n = {len(results.chances)}.\n"
    yield "## By face (all countable dice)\n"
    yield "| face | rightly named | doubtful | wrong | missed |"
    yield "| --- | --- | --- | --- | --- |"
    for face, row in sorted(results.faces.items()):
        others = " | ".join(str(row[outcome]) for outcome in ("doubtful", "wrong", "missed"))
        yield f"| {face} | {share(row['right'], row.total())} | {others} |"
    yield "\n## The drawings most often misread (likeliest face)\n"
    worst = sorted(results.drawings.items(), key=lambda row: row[1][True] / row[1].total())
    for name, drawn in worst[:WORST]:
        yield f"- {name}: {share(drawn[True], drawn.total())}"
    yield "\n## By tag\n"
    yield "| tag | dice right | called sure | others sure | silent |"
    yield "| --- | --- | --- | --- | --- |"
    for tag, rolls in sorted(results.by_tag.items()):
        fit = (
            [share(rolls.top, rolls.dice), share(rolls.sure, rolls.fit)] if rolls.fit else ["", ""]
        )
        others = f"{rolls.others_sure} of {rolls.total - rolls.fit}"
        yield f"| {tag} | {' | '.join(fit)} | {others} | {share(rolls.silent, rolls.total)} |"

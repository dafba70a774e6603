"""Evaluate the reader on looks at its own pictures, or on a folder of labelled stills.

`python -m models.evaluate report` reads all of the test split and writes `models/REPORT.md`, and
its figures into `dice.json`. `python -m models.evaluate WHAT [val|test] [LIMIT]` prints one part:
`rolls`, `played` (evenings), `enrolled`, `boxes` (of symbols, enrolled), `symbols` (played), the
played ones with 5 % of the rolls entered wrongly (`played-mistaken`, `symbols-mistaken`), or any
other kind of `models.dataset` or `models.traced`. `python -m models.evaluate FOLDER` reads stills
with `labels.jsonl`; what was found there goes into `dice.json` too. The number of dice is known, as
in play.
"""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

import msgspec

from companion.engine import Face
from companion.vision.networks.contract import Contract, load_contract
from companion.vision.read.decision import Decider
from models.measure.boxes import VIEWS, enrolled, evenings_of, names_of, played, taught_by
from models.measure.counting import ENROL, Results, count, lines_of, without_count
from models.measure.looks import Looked, looked_at, looked_at_folder
from models.measure.report import measured, of_stills, write_report
from models.places import TARGET
from models.terms import write_contract

MISTAKEN: Final = 0.05
"""The share of played rolls that are entered wrongly."""
LESSONS: Final = {"played": 10, "symbols": 12}
"""The entered rolls after which a box counts as learned."""


def read_all(rows: Sequence[Looked], terms: Contract, *, counted: bool = True) -> Results:
    """Read rolls of unknown boxes."""
    results, decider = Results(), Decider(terms)
    for row in rows:
        still = row.still if counted else without_count(row.still)
        count(results, still, row.reading_of(row.read(decider, counted=counted)))
    return results


def read_enrolled(rows: Sequence[Looked], terms: Contract, views: int) -> Results:
    """Read rolls of boxes, each enrolled from so many views of each face. Every number of views is
    tried on the same rolls: those that the most views leave."""
    results = Results()
    for shown, rolls in evenings_of(rows):
        decider = Decider(terms, prints=enrolled(shown, rolls, views)[0])
        for row in enrolled(shown, rolls, max(VIEWS))[1]:
            count(results, row.still, row.reading_of(row.read(decider)))
    return results


def read_played(
    rows: Sequence[Looked], terms: Contract, lessons: int, mistaken: float = 0.0
) -> tuple[Results, Results]:
    """Read rolls of boxes that the table teaches: all of them, and those after that many lessons,
    with what these taught."""
    every, later = Results(), Results()
    for number, (_, rolls) in enumerate(evenings_of(rows)):
        true = [names_of(row) for row in rolls if taught_by(row)]
        taught: Sequence[tuple[Face | None, ...]] = ()
        for row, prints, playing in played(rolls, mistaken, number):
            if len(playing.taught) == lessons:
                taught = playing.taught
            decider = Decider(terms, prints, playing.is_confirmed)
            reading = row.reading_of(row.read(decider))
            count(every, row.still, reading)
            if len(playing.taught) >= lessons:
                count(later, row.still, reading)
        pairs = zip(chain(*taught), chain(*true[: len(taught)]), strict=True)
        later.labelled.update(print_of == face for print_of, face in pairs if print_of)
    return every, later


def parts_of(what: str, rows: Sequence[Looked], terms: Contract) -> dict[str, Results]:
    """The results of a part, by name."""
    if what in ("enrolled", "boxes"):
        return {f"{what}, {n} views": read_enrolled(rows, terms, n) for n in VIEWS}
    if lessons := LESSONS.get(what.removesuffix("-mistaken")):
        every, later = read_played(rows, terms, lessons, MISTAKEN * what.endswith("-mistaken"))
        return {what: every, f"{what}, after {lessons} rolls": later}
    rolls = [row for row in rows if ENROL not in row.still.tags]
    parts = {what: read_all(rolls, terms)}
    if len(rolls) < len(rows):
        parts |= {f"{what}, {n} views": read_enrolled(rows, terms, n) for n in VIEWS}
    if what == "rolls":
        parts["rolls, number of dice not known"] = read_all(rows, terms, counted=False)
    return parts


KINDS: Final = {"played": "evenings", "enrolled": "evenings", "symbols": "boxes"}
"""The kind of pictures of each part, if it has another name."""
PLAYED: Final = ("played", "symbols", "symbols-mistaken")
REPORTED: Final = ("rolls", "strangers", "enrolled", "boxes", *PLAYED)


def main(words: list[str]) -> None:
    """Evaluate what the arguments name, and print the results."""
    terms = load_contract(TARGET)
    what, split = words[0], words[1] if len(words) > 1 else "test"
    limit = int(words[2]) if len(words) > 2 else None
    if Path(what).is_dir():
        rows = [row.calibrated(terms) for row in looked_at_folder(Path(what))]
        results = read_all(rows, terms)
        print("\n".join(lines_of(results)))
        write_contract(_with_measured(terms, of_stills(results)), TARGET)
        return
    parts: dict[str, Results] = {}
    named = REPORTED if what == "report" else (what,)
    for part in named:
        _looked(part, split, limit)  # those missing are made by all cores
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for made in pool.map(partial(_made, split, limit, terms), named):
            for name, results in made.items():
                print("\n".join((name, *lines_of(results))), flush=True)
            parts |= made
    if what == "report":
        write_report(parts, terms.commit)
        write_contract(_with_measured(terms, measured(parts)), TARGET)


def _looked(part: str, split: str, limit: int | None) -> list[Looked]:
    return looked_at(KINDS.get(part.removesuffix("-mistaken"), part), split, limit)


def _made(split: str, limit: int | None, terms: Contract, part: str) -> dict[str, Results]:
    rows = [row.calibrated(terms) for row in _looked(part, split, limit)]
    return parts_of(part, rows, terms)


def _with_measured(terms: Contract, found: dict[str, float]) -> Contract:
    return msgspec.structs.replace(terms, measured=terms.measured | found)


if __name__ == "__main__":
    main(sys.argv[1:])

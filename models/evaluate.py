"""Evaluate the whole reader, on the own test split or on a folder of labelled stills.

`python -m models.evaluate test|val|evenings|traced|FOLDER [LIMIT]`; a folder holds `labels.jsonl`.
The own pictures are those that `python -m models.dataset rolls|evenings SPLIT COUNT` has rendered,
or, path-traced, `python -m models.traced COUNT`; of these the reader knows how many dice were
thrown, as it does in play. `test` reads its rolls and its evenings and is also written to
`models/REPORT.md`, with a classical baseline on the same rolls; what was found there and on a
folder goes into `dice.json`. `evenings` reads those of the val split.
"""

import sys
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np

from companion.vision.box.rules import rules_of
from companion.vision.networks.classify import Networks
from companion.vision.networks.contract import load_contract
from companion.vision.opencv import cv2
from companion.vision.pictures.frames import Frame
from companion.vision.read.reader import Expected, Reader, reading_of
from models.art.glyphs import load_bank
from models.measure.classical import Baseline, Templates, compare
from models.measure.counting import Still, Tally, count, labelled, rendered, report, unaided
from models.measure.evenings import Evenings, read_evenings
from models.measure.report import (
    Run,
    evening_lines,
    of_evenings,
    of_stills,
    of_test,
    written,
)
from models.places import TARGET
from models.terms import write_contract


def evaluate(stills: Iterable[Still], reader: Reader) -> Tally:
    """Read every still and count the results."""
    tally = Tally()
    for still in stills:
        expected = Expected(rules_of(still.game), still.thrown)
        count(tally, still, reader.read(still.image, expected))
    return tally


def compared(stills: Iterable[Still], reader: Reader, evenings: Evenings) -> Run:
    """Read every still with and without a known number of dice, and by the baseline."""
    given, alone, baseline, spent = Tally(), Tally(), Baseline(), []
    templates = Templates(load_bank())
    for still in stills:
        begun = time.process_time()
        look = reader.look(still.image)
        rules = rules_of(still.game)
        verdict = reader.decide([look], Expected(rules, still.thrown), still.image)
        spent.append(time.process_time() - begun)
        frame = Frame(still.image, 0.0, 0)
        count(given, still, reading_of(verdict, still.game, frame))
        verdict = reader.decide([look], Expected(rules), still.image)
        count(alone, unaided(still), reading_of(verdict, still.game, frame))
        compare(baseline, templates, still)
    return Run(given, alone, baseline, evenings, 1000 * float(np.median(spent)))


def _noted(found: dict[str, float]) -> None:
    """`dice.json` says so."""
    terms = load_contract(TARGET)
    measured = terms.measured | found
    write_contract(msgspec.structs.replace(terms, measured=measured), TARGET)


def main(words: list[str]) -> None:
    """Evaluate what the arguments name, and print the tally."""
    cv2.setNumThreads(1)
    what = words[0] if words else "test"
    limit = int(words[1]) if len(words) > 1 else None
    networks = Networks(TARGET)
    reader = Reader(networks)
    if what == "test":
        evenings = read_evenings(rendered(what, limit, "evenings"), networks)
        run = compared(rendered(what, limit), reader, evenings)
        written(run, networks.contract.commit)
        tally = run.given
        _noted(of_test(tally) | of_evenings(evenings))
    elif what == "evenings":
        found = read_evenings(rendered("val", limit, what), networks)
        for line in evening_lines(found):
            print(line)
        return
    elif what == "val":
        tally = evaluate(rendered(what, limit), reader)
    elif what == "traced":
        tally = evaluate(rendered("val", limit, what), reader)
    else:
        tally = evaluate(labelled(Path(what)), reader)
        _noted(of_stills(tally))
    for line in report(tally):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])

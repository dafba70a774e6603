"""Evaluate the whole reader on the project's own test split or on a folder of labelled stills.

`python -m models.evaluate test|val|evenings|enrolled|bodies|sizes|traced|FOLDER [LIMIT]`; a folder
holds `labels.jsonl`. The own pictures are those that `python -m models.dataset KIND SPLIT COUNT`
has rendered (KIND: rolls, evenings, bodies, sizes, boxes or strangers), or, path-traced, `python -m
models.traced COUNT`; of these the reader knows how many dice were thrown, as it does in play.
`test` reads its rolls and its evenings and is also written to `models/REPORT.md`, with a classical
baseline on the same rolls; what was found there and on a folder goes into `dice.json`. `evenings`,
`bodies` and `sizes` read those of the val split, `bodies/test` and `sizes/test` those of test;
`enrolled` reads the evenings of the test split after each box was enrolled from some views of each
face, `boxes` and `strangers` those of the test split, `boxes/val` and `strangers/val` those of val;
`mislabelled` enrols with some wrong labels.
"""

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from companion.vision.box import rules_of
from companion.vision.networks.classify import Networks
from companion.vision.networks.contract import load_contract
from companion.vision.pictures import Frame, cv2
from companion.vision.read.reader import Expected, Reader, reading_of
from models.art.glyphs import load_bank
from models.measure.boxes import box_lines, read_boxes
from models.measure.counting import (
    Evenings,
    Results,
    Still,
    count,
    load_labelled,
    load_rendered,
    read_evenings,
    report,
    without_count,
)
from models.measure.mislabelled import mislabelled_lines, read_mislabelled
from models.measure.report import (
    Baseline,
    Run,
    Templates,
    compare,
    evening_lines,
    of_evenings,
    of_stills,
    of_test,
    write_report,
)
from models.places import TARGET
from models.terms import write_contract

RENDERED: Final = {
    "traced": ("traced", "val"), "bodies": ("bodies", "val"), "bodies/test": ("bodies", "test"),
    "sizes": ("sizes", "val"), "sizes/test": ("sizes", "test"),
    "strangers": ("strangers", "test"), "strangers/val": ("strangers", "val"),
}  # fmt: skip
"""The rendered kinds and splits that are read as they are."""
BOXES: Final = {
    "enrolled": ("evenings", "test"), "boxes": ("boxes", "test"), "boxes/val": ("boxes", "val"),
}  # fmt: skip
"""Those that are read after each box was enrolled."""


def evaluate(stills: Iterable[Still], reader: Reader) -> Results:
    """Read every still and count the results."""
    results = Results()
    for still in stills:
        expected = Expected(rules_of(still.game), still.thrown)
        count(results, still, reader.read(still.image, expected))
    return results


def evaluate_test(stills: Iterable[Still], reader: Reader, evenings: Evenings) -> Run:
    """Read every still with and without a known number of dice, and by the baseline."""
    given, without, baseline, spent = Results(), Results(), Baseline(), []
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
        count(without, without_count(still), reading_of(verdict, still.game, frame))
        compare(baseline, templates, still)
    return Run(given, without, baseline, evenings, 1000 * float(np.median(spent)))


def _write_measured(found: dict[str, float]) -> None:
    """Write the figures to `dice.json`."""
    terms = load_contract(TARGET)
    measured = terms.measured | found
    write_contract(msgspec.structs.replace(terms, measured=measured), TARGET)


def main(words: list[str]) -> None:
    """Evaluate what the arguments name, and print the results."""
    cv2.setNumThreads(1)
    what = words[0] if words else "test"
    limit = int(words[1]) if len(words) > 1 else None
    networks = Networks(TARGET)
    reader = Reader(networks)
    if what == "test":
        evenings = read_evenings(load_rendered(what, limit, "evenings"), networks)
        run = evaluate_test(load_rendered(what, limit), reader, evenings)
        write_report(run, networks.contract.commit)
        results = run.given
        _write_measured(of_test(results) | of_evenings(evenings))
    elif what == "evenings":
        found = read_evenings(load_rendered("val", limit, what), networks)
        for line in evening_lines(found):
            print(line)
        return
    elif what in BOXES:
        kind, split = BOXES[what]
        boxes = read_boxes(load_rendered(split, limit, kind), networks)
        for line in box_lines(boxes):
            print(line)
        return
    elif what == "mislabelled":
        wrong = read_mislabelled(load_rendered("test", limit, "evenings"), networks)
        for line in mislabelled_lines(wrong):
            print(line)
        return
    elif what == "val":
        results = evaluate(load_rendered(what, limit), reader)
    elif what in RENDERED:
        kind, split = RENDERED[what]
        results = evaluate(load_rendered(split, limit, kind), reader)
    else:
        results = evaluate(load_labelled(Path(what)), reader)
        _write_measured(of_stills(results))
    for line in report(results):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])

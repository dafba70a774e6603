"""The pictures that networks are measured with stay the same when others are changed or added.

`python -m tests.models.test_rolls` writes the expected figures; do so only for a change of these
very pictures that is wanted.
"""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from models import dataset
from models.dataset import new_pictures
from tests.models.scenes import own_assets

EXPECTED = Path(__file__).parent / "rolls.json"
ROLLS = 3
"""The rolls of an evening here."""
STREAMS = (
    ("rolls", "val", 3),
    ("rolls", "test", 3),
    ("evenings", "val", 1),
    ("evenings", "test", 1),
)


def figures(kind: str, split: str, seeds: int) -> dict[str, Any]:
    """The random numbers drawn, the labels, and the grey levels of small copies.

    The numbers are the generator's next ones, exactly; levels and corners are rounded, since other
    processors and libraries round otherwise.
    """
    source = own_assets(split)
    drawn, labels, levels = [], [], []
    for seed in range(seeds):
        rng = np.random.default_rng([seed, 17])
        for made in new_pictures(kind, source, rng):
            image = cv2.imdecode(np.frombuffer(made.jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
            small = cv2.resize(np.asarray(image), (16, 9), interpolation=cv2.INTER_AREA)
            levels.append(small.ravel().tolist())
            labels += [
                [label.face, label.colour, *np.round(label.quad.ravel(), 1).tolist()]
                for label in made.labels
            ]
        drawn.append(int(rng.integers(1 << 40)))
    return {"drawn": drawn, "labels": labels, "levels": levels}


@pytest.mark.parametrize(("kind", "split", "seeds"), STREAMS)
def test_rolls_and_evenings_stay_the_same(
    kind: str, split: str, seeds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset, "EVENING", ROLLS)
    expected = json.loads(EXPECTED.read_text("utf-8"))[f"{kind} {split}"]
    found = figures(kind, split, seeds)
    assert found["drawn"] == expected["drawn"]
    assert [row[:2] for row in found["labels"]] == [row[:2] for row in expected["labels"]]
    corners, wanted = (np.array([row[2:] for row in part["labels"]]) for part in (found, expected))
    assert np.abs(corners - wanted).max() < 0.3
    levels = np.array(found["levels"]) - np.array(expected["levels"])
    assert np.abs(levels).max() <= 2


if __name__ == "__main__":
    dataset.EVENING = ROLLS  # type: ignore[misc]
    rows = {f"{kind} {split}": figures(kind, split, seeds) for kind, split, seeds in STREAMS}
    EXPECTED.write_text(json.dumps(rows, indent=None, separators=(",", ":")) + "\n", "utf-8")

"""Name dice by the known prints of a box.

The classifier learned faces from many drawings and is unsure of a new one. Where a box was
enrolled, or learned during play, prints show how it draws each face: a die resembles the prints of
its own face, and a foreign sign resembles none. What the classifier says of an enrolled face counts
for nothing, since any dice may stand in. The similarity itself is computed in `prints`.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_

import numpy as np
import numpy.typing as npt

from companion.engine import RULESETS, Face
from companion.vision.box import MOST_PRINTS
from companion.vision.networks.classify import FaceClassifier
from companion.vision.networks.contract import Contract
from companion.vision.pictures import Image, cv2, decode
from companion.vision.read.decision import Decider
from companion.vision.read.seen import Floats, Prints, SeenDie, likeness
from companion.vision.readings import PhotoError

Mask = npt.NDArray[np.bool_]
_LOG = logging.getLogger(__name__)

_ALIKE = 0.03
"""No cosine between prints counts as higher than 1 minus this."""
_LEAST = 1e-7
_MOST = 6.0
"""The most that the classifier's log-odds of a face count: less than what a good print says."""
FEWEST = 3
"""Prints needed before a face counts as known: fewer do not show how they vary."""


@dataclass(frozen=True, slots=True)
class EnrolledBox:
    """The prints of one box: fixed ones from enrolment, and the newest ones learned in play."""

    decider: Decider
    """Decides rolls of this box, with the prints of each face that has at least FEWEST."""
    fixed: Prints
    learnt: Prints

    @staticmethod
    def of(contract: Contract, fixed: Prints, learnt: Prints) -> EnrolledBox:
        """Make a box of these prints."""
        none = np.zeros((0, contract.classifier.embedding), np.float32)
        both = {
            face: np.concatenate([fixed.get(face, none), learnt.get(face, none)])
            for face in fixed.keys() | learnt.keys()
        }
        known = {face: prints for face, prints in both.items() if len(prints) >= FEWEST}
        return EnrolledBox(Decider(contract, prints=known), fixed, learnt)

    def with_learned(self, prints: Prints) -> EnrolledBox:
        """Make a box with these prints added; each face keeps its newest MOST_PRINTS learned
        ones."""
        learnt = dict(self.learnt)
        for face, vectors in prints.items():
            before = learnt.get(face, vectors[:0])
            learnt[face] = np.concatenate([before, vectors])[-MOST_PRINTS:]
        return EnrolledBox.of(self.decider.contract, self.fixed, learnt)

    def fuse(self, look: Sequence[SeenDie]) -> tuple[SeenDie, ...]:
        """Combine classifier and prints for each die of a look."""
        shown = {face for face, prints in self.fixed.items() if len(prints) >= FEWEST}
        return tuple(
            fuse_with_prints(die, self.decider.prints, self.decider.contract, shown) for die in look
        )


def embed_pictures(
    pictures: Mapping[Face, Sequence[bytes]], classifier: FaceClassifier
) -> dict[Face, Floats]:
    """Compute the embeddings of rectified pictures of prints (`box.Dice`). Those that cannot be
    decoded are left out."""
    size = classifier.terms.input.width, classifier.terms.input.height
    found = {}
    for face, encoded in pictures.items():
        decoded = [_picture(one, face) for one in encoded]
        crops = [cv2.resize(one, size) for one in decoded if one is not None]
        if crops:
            found[face] = classifier.embed(np.array(crops, np.uint8))
    return found


def _picture(encoded: bytes, face: Face) -> Image | None:
    """Decode a print of a face; None, with a warning, if it is no picture."""
    try:
        return decode(encoded)
    except PhotoError as error:
        _LOG.warning("a print of %s is left out: %s", face, error.key)
        return None


def fuse_with_prints(
    die: SeenDie, prints: Prints, contract: Contract, shown: Collection[Face] | None = None
) -> SeenDie:
    """Name a die by its similarity to known prints; faces without prints by the classifier.

    The probabilities are a softmax over all faces and none. The evidence of a known face is that of
    its distance, with a weight fitted on the val split, of an unknown one the classifier's own
    against no face at all (`combine`). Any dice may stand in for the faces that were `shown` on
    purpose (None: all with prints), and where these are all faces of a game, no other face counts;
    against prints learned in play the classifier may object, for a table that entered wrong faces
    must not make wrong readings sure.
    """
    if not prints:
        return die
    faces = list(die.faces)
    chances = np.maximum([*die.faces.values(), die.reject], _LEAST)
    alike = [likeness(die.embedding, prints[face]) if face in prints else np.nan for face in faces]
    learned = np.array([shown is not None and face not in shown for face in faces])
    logs = np.log(chances)
    given = set(prints) if shown is None else prints.keys() & set(shown)
    if any(given.issuperset(rules.faces) for rules in RULESETS.values()):
        # Symbols that stand in for a whole game may look like faces of the other one.
        logs[: len(faces)] = np.where(np.isnan(alike), -np.inf, logs[: len(faces)])
    odds = combine(logs[None], np.array(alike)[None], contract, learned)[0]
    return with_(
        die, faces=dict(zip(faces, map(float, odds[:-1]), strict=True)), reject=float(odds[-1])
    )


def combine(logs: Floats, alike: Floats, contract: Contract, learned: Mask | None = None) -> Floats:
    """Combine the classifier's log probabilities (n, k + 1), the last of no face, with cosines to
    prints (n, k), NaN where a face has none: (n, k + 1) probabilities, 0 for a face whose log
    probability is minus infinity. Of faces that are `learned` (k,) the classifier's preference for
    another one counts against them."""
    terms = contract.enrolment
    known = ~np.isnan(alike)
    apart = np.log(1 + _ALIKE - np.where(known, alike, terms.without_prints))
    by_prints = terms.prints_weight * (np.log(1 + _ALIKE - terms.without_prints) - apart)
    by_classifier = np.clip(logs[:, :-1] - logs[:, -1:], -_MOST, _MOST)
    by_classifier[np.isneginf(logs[:, :-1])] = -np.inf
    if learned is not None:
        objection = by_classifier - by_classifier.max(axis=1, keepdims=True)
        by_prints = by_prints + np.where(learned, objection, 0.0)
    found = np.concatenate(
        [np.where(known, by_prints, by_classifier), np.zeros((len(logs), 1))], axis=1
    )
    found = np.exp(found - found.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True), np.float64)

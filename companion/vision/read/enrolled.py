"""Combine the classifier's faces with the known prints of a box.

The classifier learned faces from many drawings and is unsure of a new one. Where a box was
enrolled, or learned during play, prints show how it draws each face: a die resembles the prints of
its own face, and a foreign sign resembles none. The similarity itself is computed in `prints`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_

import numpy as np

from companion.engine import Face
from companion.vision.box.profile import MOST_PRINTS
from companion.vision.errors import PhotoError, VisionError
from companion.vision.networks.classify import FaceClassifier
from companion.vision.networks.contract import Contract
from companion.vision.opencv import cv2
from companion.vision.pictures.decoding import Image, decode
from companion.vision.read.decision import Decider
from companion.vision.read.prints import Prints, likeness
from companion.vision.read.seen import Floats, SeenDie

_ALIKE = 0.03
"""No cosine between prints counts as higher than 1 minus this."""
_LEAST = 1e-7
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
        return tuple(
            fuse_with_prints(die, self.decider.prints, self.decider.contract) for die in look
        )


def embed_pictures(
    pictures: Mapping[Face, Sequence[bytes]], classifier: FaceClassifier
) -> dict[Face, Floats]:
    """Compute the embeddings of rectified pictures of prints (`profile.Dice`). VisionError where
    one is no picture."""
    size = classifier.terms.input.width, classifier.terms.input.height
    found = {}
    for face, encoded in pictures.items():
        crops = [cv2.resize(_picture(one, face), size) for one in encoded]
        if crops:
            found[face] = classifier.embed(np.array(crops, np.uint8))
    return found


def _picture(encoded: bytes, face: Face) -> Image:
    """Decode a print of a face. VisionError where it is no picture."""
    try:
        return decode(encoded)
    except PhotoError as error:
        raise VisionError("error.profile.print", face=face) from error


def fuse_with_prints(die: SeenDie, prints: Prints, contract: Contract) -> SeenDie:
    """Combine the classifier's probabilities of a die's faces with its similarity to known prints.

    A product of experts (Hinton 2002) with weights fitted on the val split: the classifier's
    probabilities to the power of `classifier_weight`, times the distance to the prints to the
    power of `-prints_weight`. A die whose likeliest face has no prints stays as it is.
    """
    terms = contract.enrolment
    faces = list(die.faces)
    if not has_prints_of(die, prints):
        return die
    chances = np.maximum([*die.faces.values(), die.reject], _LEAST)
    alike = [
        likeness(die.embedding, prints[face]) if face in prints else terms.without_prints
        for face in faces
    ]
    likes = np.array([*alike, terms.without_prints])[None]
    odds = combine(np.log(chances)[None], likes, contract)[0]
    return with_(
        die, faces=dict(zip(faces, map(float, odds[:-1]), strict=True)), reject=float(odds[-1])
    )


def has_prints_of(die: SeenDie, prints: Prints) -> bool:
    """Whether the box has prints of the die's likeliest face."""
    return max(die.faces, key=lambda face: die.faces[face]) in prints


def combine(logs: Floats, alike: Floats, contract: Contract) -> Floats:
    """Combine the classifier's log probabilities (n, k) with cosines to prints (n, k): (n, k)
    probabilities."""
    terms = contract.enrolment
    distances = np.log(1 + _ALIKE - np.asarray(alike))
    found = terms.classifier_weight * logs - terms.prints_weight * distances
    found = np.exp(found - found.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True), np.float64)

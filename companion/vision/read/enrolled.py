"""A box whose prints are known: what they say of a die beside what the classifier says.

The classifier knows faces from many drawings, and doubts one that it has never seen. Of a box that
was enrolled, or that the table has taught while it played, it is known how each face is drawn: what
a die shows is like the prints of its own face, and a sign of another game is like none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_

import numpy as np

from companion.engine import Face
from companion.vision.box.profile import MOST_PRINTS
from companion.vision.errors import PhotoError, VisionError
from companion.vision.networks.classify import Reading
from companion.vision.networks.contract import Contract
from companion.vision.opencv import cv2
from companion.vision.pictures.decoding import Image, decode
from companion.vision.read.decision import Decider
from companion.vision.read.prints import Prints, likeness
from companion.vision.read.seen import Floats, SeenDie

_ALIKE = 0.03
"""No two prints are known to be more alike than 1 less this."""
_LEAST = 1e-7
FEWEST = 3
"""A face with fewer prints is not known: nobody knows how they vary."""


@dataclass(frozen=True, slots=True)
class Enrolled:
    """The prints of one box: enrolled ones, which stay, and the newest that the table taught."""

    judge: Decider
    """How a roll of the box is judged; it knows the prints of each face that has FEWEST."""
    fixed: Prints
    learnt: Prints

    @staticmethod
    def of(contract: Contract, fixed: Prints, learnt: Prints) -> Enrolled:
        """The box of which these prints are known."""
        none = np.zeros((0, contract.classifier.embedding), np.float32)
        both = {
            face: np.concatenate([fixed.get(face, none), learnt.get(face, none)])
            for face in fixed.keys() | learnt.keys()
        }
        known = {face: prints for face, prints in both.items() if len(prints) >= FEWEST}
        return Enrolled(Decider(contract, prints=known), fixed, learnt)

    def learns(self, prints: Prints) -> Enrolled:
        """The box with these prints as well; of each face the newest MOST_PRINTS stay."""
        learnt = dict(self.learnt)
        for face, vectors in prints.items():
            before = learnt.get(face, vectors[:0])
            learnt[face] = np.concatenate([before, vectors])[-MOST_PRINTS:]
        return Enrolled.of(self.judge.contract, self.fixed, learnt)

    def fused(self, look: Sequence[SeenDie]) -> tuple[SeenDie, ...]:
        """The dice with the probabilities that both together give them."""
        return tuple(fuse_with_prints(die, self.judge.prints, self.judge.contract) for die in look)


def embedded(pictures: Mapping[Face, Sequence[bytes]], reading: Reading) -> dict[Face, Floats]:
    """The prints of which these are pictures, rectified (`profile.Dice`). VisionError where one of
    them is none."""
    size = reading.terms.input.width, reading.terms.input.height
    found = {}
    for face, encoded in pictures.items():
        crops = [cv2.resize(_picture(one, face), size) for one in encoded]
        if crops:
            found[face] = reading.embedded(np.array(crops, np.uint8))
    return found


def _picture(encoded: bytes, face: Face) -> Image:
    try:
        return decode(encoded)
    except PhotoError as error:
        raise VisionError("error.profile.print", face=face) from error


def fuse_with_prints(die: SeenDie, prints: Prints, contract: Contract) -> SeenDie:
    """The die with the probabilities that classifier and prints together give it.

    A product of experts (Hinton 2002), weighted as fitted on the val split: the classifier's
    probabilities to the power of `trust`, times the distance to the prints to that of `-weight`. A
    die whose likeliest face has no prints stays as it is.
    """
    terms = contract.enrolment
    faces = list(die.faces)
    if not has_prints_of(die, prints):
        return die
    chances = np.maximum([*die.faces.values(), die.reject], _LEAST)
    alike = [
        likeness(die.embedding, prints[face]) if face in prints else terms.stranger
        for face in faces
    ]
    odds = together(np.log(chances)[None], np.array([*alike, terms.stranger])[None], contract)[0]
    return with_(
        die, faces=dict(zip(faces, map(float, odds[:-1]), strict=True)), reject=float(odds[-1])
    )


def has_prints_of(die: SeenDie, prints: Prints) -> bool:
    """Whether there are prints of its likeliest face."""
    return max(die.faces, key=lambda face: die.faces[face]) in prints


def together(logs: Floats, alike: Floats, contract: Contract) -> Floats:
    """(n, k) probabilities, from the logarithms of the classifier's and the likenesses (n, k)."""
    terms = contract.enrolment
    found = terms.trust * logs - terms.weight * np.log(1 + _ALIKE - np.asarray(alike))
    found = np.exp(found - found.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True), np.float64)

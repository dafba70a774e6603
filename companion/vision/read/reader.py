"""The reader: from a picture to a reading, through networks, known prints and the decision.

The classifier learned faces from many drawings and is unsure of a new one. If a box was enrolled,
or learned during play, prints show how it draws each face: a die resembles the prints of its own
face, and a foreign sign resembles none. For enrolled faces the classifier is ignored: any dice,
with any symbols, may replace the originals.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace as struct_replace

from companion.engine import RULESETS, Face
from companion.resources import resource_dir
from companion.vision.box import MOST_PRINTS, Dice, DiceRules, Lesson, Profile
from companion.vision.networks.classify import REJECT, Classifications, FaceClassifier, Networks
from companion.vision.networks.contract import Contract
from companion.vision.networks.corners import Solids
from companion.vision.networks.locate import without_parts
from companion.vision.pictures import (
    Floats,
    Frame,
    Image,
    Pyramid,
    cv2,
    decode,
    jpeg,
    png,
    scaled_size,
)
from companion.vision.read.decision import Decider, Verdict
from companion.vision.read.geometry import Calibration, detect_markers
from companion.vision.read.seen import Prints, SeenDie, likeness
from companion.vision.readings import SAME_PLACE, DiceReading, DieReading, PhotoError, Rect

Mask = npt.NDArray[np.bool_]
_LOG = logging.getLogger(__name__)

LOOKS = 3
"""The looks that decide a rest: what one misreads, more of them misread too."""
CROP_PX = 112
CROP_MARGIN = 1.16
"""The width of a die's picture, in sizes of its box."""
_EDGE_SHARE = 0.5
"""At the picture's edge a die shows only a part: this share of the contract's bound on `tops`
suffices."""
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
    learned: Prints

    @staticmethod
    def of(contract: Contract, fixed: Prints, learned: Prints) -> EnrolledBox:
        """Make a box of these prints."""
        none = np.zeros((0, contract.classifier.embedding), np.float32)
        both = {
            face: np.concatenate([fixed.get(face, none), learned.get(face, none)])
            for face in fixed.keys() | learned.keys()
        }
        known = {face: prints for face, prints in both.items() if len(prints) >= FEWEST}
        return EnrolledBox(Decider(contract, prints=known), fixed, learned)

    def with_learned(self, prints: Prints) -> EnrolledBox:
        """Make a box with these prints added; each face keeps its newest MOST_PRINTS learned
        ones."""
        learned = dict(self.learned)
        for face, vectors in prints.items():
            before = learned.get(face, vectors[:0])
            learned[face] = np.concatenate([before, vectors])[-MOST_PRINTS:]
        return EnrolledBox.of(self.decider.contract, self.fixed, learned)

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

    Any dice may replace the faces that were `shown` on purpose (None: all with prints); if these
    are all faces of a game, no other face counts. The classifier can lower faces whose prints were
    learned in play, so that wrongly entered faces do not make wrong readings sure.
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
        # Symbols that replace a whole game's may look like faces of the other one.
        logs[: len(faces)] = np.where(np.isnan(alike), -np.inf, logs[: len(faces)])
    odds = combine(logs[None], np.array(alike)[None], contract, learned)[0]
    return dataclass_replace(
        die, faces=dict(zip(faces, map(float, odds[:-1]), strict=True)), reject=float(odds[-1])
    )


def combine(logs: Floats, alike: Floats, contract: Contract, learned: Mask | None = None) -> Floats:
    """Combine the classifier's log probabilities (n, k + 1), the last of no face, with cosines to
    prints (n, k), NaN if a face has none: (n, k + 1) probabilities, 0 for a face whose log
    probability is minus infinity. The classifier lowers faces that are `learned` (k,) as far as it
    prefers another one."""
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


@dataclass(frozen=True, slots=True)
class Expected:
    """The game's dice and their number; None for as many as the game allows."""

    rules: DiceRules
    count: int | None = None


class Reader:
    """Reads pictures with one set of networks, and with the known prints of a table's boxes."""

    def __init__(
        self, networks: Networks, profile: Profile | None = None, learned: Dice | None = None
    ) -> None:
        """Make a reader for a table. With a sheet in the profile only dice on it count. Enrolled
        and `learned` prints are used for their boxes. VisionError if a print is no picture."""
        profile, learned = profile or Profile(), learned or {}
        self.calibration = Calibration(profile.sheet) if profile.sheet is not None else None
        self._networks = networks
        self._boxes = {
            game: EnrolledBox.of(
                networks.contract,
                embed_pictures(profile.dice.get(game, {}), networks.classifier),
                embed_pictures(learned.get(game, {}), networks.classifier),
            )
            for game in profile.dice.keys() | learned.keys()
        }
        self._decider = Decider(networks.contract)
        self._faces = [
            (index, Face(name))
            for index, name in enumerate(networks.contract.classifier.classes)
            if name != REJECT
        ]

    @property
    def contract(self) -> Contract:
        """The networks' contract."""
        return self._networks.contract

    @staticmethod
    def shipped(profile: Profile | None = None, learned: Dice | None = None) -> Reader:
        """Make a reader with the packaged networks, each run once. ReaderError without them."""
        networks = Networks(resource_dir("models"))
        Reader(networks).look(np.full((360, 640, 3), 96, np.uint8))  # a network's first run is slow
        return Reader(networks, profile, learned)

    def learn(self, lesson: Lesson) -> None:
        """Add the prints of a lesson, for readers made by `without_sheet` as well. VisionError, and
        no change, if a print is no picture."""
        pictures: dict[Face, list[bytes]] = {}
        for face, print_ in lesson.prints:
            pictures.setdefault(face, []).append(print_)
        prints = embed_pictures(pictures, self._networks.classifier)
        box = self._boxes.get(lesson.game) or EnrolledBox.of(self.contract, {}, {})
        self._boxes[lesson.game] = box.with_learned(prints)

    def knows(self, game: str) -> bool:
        """Whether prints of a box are known for this game."""
        return game in self._boxes

    def without_sheet(self) -> Reader:
        """Return a reader that ignores the sheet, for photos by any camera. Both share learned
        prints."""
        reader = copy(self)
        reader.calibration = None
        return reader

    def look(self, image: Image, before: Sequence[tuple[SeenDie, ...]] = ()) -> tuple[SeenDie, ...]:
        """Find every die in the picture that shows its top, and read each from a closer crop.

        `before`: the looks so far at dice that have lain still since. The next ones start from
        their corners, a third of the work; after LOOKS, in doubt, the dice are looked for again,
        as the first look may have missed one.
        """
        picture, networks = Pyramid(image), self._networks
        if before and before[-1] and len(before) < LOOKS:
            scores = np.array([die.score for die in before[-1]])
            solids = networks.refiner.look(picture, np.stack([die.quad for die in before[-1]]))
        else:
            rough, scores = networks.locator.locate(image)
            solids = networks.refiner.refine(picture, rough)
        bound = networks.contract.corners.top
        are_tops = solids.tops >= np.where(_cross_edge(image, solids), _EDGE_SHARE * bound, bound)
        if self.calibration is not None:
            are_tops &= _on_sheet(image, solids, self.calibration)
        tops = np.flatnonzero(are_tops)
        if not len(tops):
            return ()
        tops = tops[without_parts(solids.quads[tops], solids.tops[tops])]
        solids = solids.only(tops)
        read = networks.classifier.classify(picture, solids.quads)
        return self._seen(solids, scores[tops].tolist(), read)

    def look_closely(self, image: Image, look: tuple[SeenDie, ...]) -> tuple[SeenDie, ...]:
        """Look at the same dice again, more closely, from their corners: each crop and its mirror
        image for the corners, all turns for the face."""
        if not look:
            return ()
        picture = Pyramid(image)
        solids = self._networks.refiner.refine_closely(
            picture, np.stack([die.quad for die in look])
        )
        read = self._networks.classifier.classify(picture, solids.quads, closely=True)
        return self._seen(solids, [die.score for die in look], read)

    def prints(self, image: Image, look: tuple[SeenDie, ...]) -> Image:
        """(N, size, size, 3) uint8: the rectified tops of a look's dice, as the classifier takes
        them."""
        quads = np.array([die.quad for die in look], np.float32).reshape(-1, 4, 2)
        return self._networks.classifier.rectified(Pyramid(image), quads)

    def with_pictures(
        self, reading: DiceReading, image: Image, look: tuple[SeenDie, ...]
    ) -> DiceReading:
        """Add pictures to a reading: the tray, each die, and the prints of dice that the look
        shows."""
        crops = tuple(jpeg(crop(image, die.box)) for die in reading.dice)
        near = [_nearest(die, look) for die in reading.dice]
        found = [look[place] for place in near if place is not None]
        cut = iter(self.prints(image, tuple(found)))
        prints = tuple(b"" if place is None else png(next(cut)) for place in near)
        return struct_replace(reading, picture=jpeg(image), crops=crops, prints=prints)

    def _seen(
        self, solids: Solids, scores: Sequence[float], read: Classifications
    ) -> tuple[SeenDie, ...]:
        measures = read.measures
        return tuple(
            SeenDie(
                quad=solids.quads[n],
                base=solids.bases[n],
                score=scores[n],
                top=float(solids.tops[n]),
                flat=float(solids.flats[n]),
                spread=float(solids.spreads[n]),
                faces={face: float(chances[i]) for i, face in self._faces},
                reject=1 - sum(float(chances[i]) for i, _ in self._faces),
                embedding=read.embeddings[n],
                colour=measures.colours[n],
                contrast=float(measures.contrast[n]),
                clipped=float(measures.clipped[n]),
                sharpness=float(measures.sharpness[n]),
            )
            for n, chances in enumerate(read.probabilities)
        )

    def decide(
        self,
        looks: Sequence[tuple[SeenDie, ...]],
        expected: Expected,
        image: Image,
        *,
        closely: bool = True,
    ) -> Verdict:
        """Decide the dice of one rest from looks at it; `image` is the picture of the last look.

        With `closely`, a known number of dice and a doubt that a closer look can solve, they are
        looked at again (`look_closely`), which solves all doubts or none.
        """
        count = expected.count
        verdict = self._decided(looks, expected, image)
        # Only the count reveals a die hidden beneath another.
        if not (closely and verdict.may_resolve and count is not None):
            return verdict
        closer = self._decided([self.look_closely(image, looks[-1])], expected, image)
        return closer if verdict.is_confirmed_by(closer) else verdict

    def _decided(
        self, looks: Sequence[tuple[SeenDie, ...]], expected: Expected, image: Image
    ) -> Verdict:
        rules, decider = expected.rules, self._decider
        box = self._boxes.get(rules.game)
        if box is not None:
            looks, decider = [box.fuse(look) for look in looks], box.decider
        return decider.decide(looks, rules, (image.shape[1], image.shape[0]), expected.count)

    def read(self, image: Image, expected: Expected) -> DiceReading:
        """Read one still."""
        verdict = self.decide([self.look(image)], expected, image)
        return reading_of(verdict, expected.rules.game, Frame(image, 0.0, 0))


def _cross_edge(image: Image, solids: Solids) -> npt.NDArray[np.bool_]:
    """(N,) which tops reach beyond the picture's edge."""
    size = np.array((image.shape[1], image.shape[0]))
    low, high = solids.quads.min(axis=1), solids.quads.max(axis=1)
    return np.asarray(((low < 0) | (high > size)).any(axis=1))


def _on_sheet(image: Image, solids: Solids, calibration: Calibration) -> npt.NDArray[np.bool_]:
    """(N,) which dice are on the sheet and are not its markers, which are dark squares too."""
    size = image.shape[1], image.shape[0]
    sheet = calibration.scaled_to(size)
    middles = solids.quads.mean(axis=1)
    on_marker = sheet.on_markers(middles, {marker.number for marker in detect_markers(image)})
    return sheet.contains(solids.bases.mean(axis=1)) & ~on_marker


def reading_of(verdict: Verdict, game: str, frame: Frame) -> DiceReading:
    """Make a reading of this frame from a verdict, without pictures."""
    return DiceReading(
        game=game,
        dice=verdict.dice,
        problems=verdict.problems,
        sure=verdict.sure,
        frame=frame.index,
        at_s=frame.captured_at,
        size=(frame.image.shape[1], frame.image.shape[0]),
    )


def _nearest(die: DieReading, look: Sequence[SeenDie]) -> int | None:
    away = [die.distance(one.middle()) for one in look]
    place = int(np.argmin(away)) if away else 0
    return place if away and away[place] < SAME_PLACE * max(die.box[2:]) else None


def crop(image: Image, box: Rect) -> Image:
    """(112, 112, 3) uint8: a square crop round the box, shifted so that it lies inside the
    picture."""
    x, y, width, height = box
    side = min(round(max(width, height) * CROP_MARGIN), *image.shape[:2])
    left = int(np.clip(x + (width - side) // 2, 0, image.shape[1] - side))
    top = int(np.clip(y + (height - side) // 2, 0, image.shape[0] - side))
    part = image[top : top + side, left : left + side]
    return np.asarray(cv2.resize(part, (CROP_PX, CROP_PX), interpolation=cv2.INTER_AREA), np.uint8)


LONG_SIDE = 1920
"""The size at which a photo is read, px: its dice are large, and finer detail does not help."""


def photo_frame(encoded: bytes, number: int) -> Frame:
    """Decode a photo as frame `number`, at the size at which it is read. PhotoError if it cannot be
    decoded."""
    image = decode(encoded)
    scale = LONG_SIDE / max(image.shape[:2])
    if scale < 1:
        size = scaled_size(image, scale)
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return Frame(image, 0.0, number)


def read_photo(frame: Frame, reader: Reader, expected: Expected) -> DiceReading:
    """Read the dice of a photo, with pictures. Camera frames are read by `vision.watch` instead."""
    look = reader.look(frame.image)
    verdict = reader.decide([look], expected, frame.image)
    reading = reading_of(verdict, expected.rules.game, frame)
    return reader.with_pictures(reading, frame.image, look)

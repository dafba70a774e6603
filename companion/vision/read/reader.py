"""The reader: from a picture to a reading, through networks, known prints and the decision.

The classifier learned faces from many drawings and is unsure of a new one. If a box was enrolled,
or learned during play, prints show how it draws each face: a die resembles the prints of its own
face, and a foreign sign resembles none. Any dice, with any symbols, may replace the originals, so
the classifier counts beside prints only as far as it knows these (`seen.prints_of`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace as struct_replace

from companion.engine import RULESETS, Face
from companion.resources import resource_dir
from companion.vision.box import DiceRules, Lesson, Profile
from companion.vision.networks.classify import (
    REJECT,
    Classifications,
    FaceClassifier,
    Networks,
    measure_crops,
)
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
from companion.vision.read.geometry import in_tray
from companion.vision.read.playing import PlayedRoll, Playing
from companion.vision.read.seen import CLEAR, Prints, SeenDie, Views, likeness, prints_of
from companion.vision.readings import SAME_PLACE, DiceReading, DieReading, PhotoError, Rect

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


def views_of(
    pictures: Mapping[Face, Sequence[bytes]], classifier: FaceClassifier
) -> dict[Face, Views]:
    """See rectified pictures of prints (`box.Dice`) as the classifier does. Those that cannot be
    decoded are left out."""
    size = classifier.terms.input.width, classifier.terms.input.height
    found = {}
    for face, encoded in pictures.items():
        decoded = map(_picture, encoded)
        crops = [cv2.resize(one, size) for one in decoded if one is not None]
        if crops:
            chances, vectors = classifier.judge(np.array(crops, np.uint8))
            found[face] = Views(vectors, chances[:, classifier.terms.classes.index(face)])
    return found


def _picture(encoded: bytes) -> Image | None:
    """Decode a print; None, with a warning, if it is no picture."""
    try:
        return decode(encoded)
    except PhotoError as error:
        _LOG.warning("a print is left out: %s", error.key)
        return None


def fuse_with_prints(
    looks: Sequence[Sequence[SeenDie]], prints: Prints, contract: Contract
) -> list[tuple[SeenDie, ...]]:
    """Name the dice of looks by their similarity to known prints, as far as these are trusted, and
    by the classifier. If all faces of a game have prints, no other face counts: symbols that
    replace a whole game's may look like faces of the other one. The likeliest face of a top with so
    little contrast that it can hardly be seen is at most as likely as the classifier finds it, if
    that knows its prints; what this takes away counts as no readable face."""
    dice = [die for look in looks for die in look]
    if not prints or not dice:
        return [tuple(look) for look in looks]
    faces = list(dice[0].faces)
    logs = np.log(np.maximum([[*die.faces.values(), die.reject] for die in dice], _LEAST))
    vectors = np.array([die.embedding for die in dice])
    alike = np.full((len(dice), len(faces)), np.nan, np.float32)
    trust, strange = np.zeros(len(faces), np.float32), np.zeros(len(faces), np.bool_)
    for face, known in prints.items():
        place = faces.index(face)
        alike[:, place] = likeness(vectors, known.vectors)
        trust[place], strange[place] = known.trust, known.is_strange
    if any(prints.keys() >= set(rules.faces) for rules in RULESETS.values()):
        logs[:, :-1][np.isnan(alike)] = -np.inf
    chances = combine(logs, alike, contract, trust)
    # Faces under glare or in the dark all look alike, and like a print that was taken there.
    every, best = np.arange(len(dice)), chances[:, :-1].argmax(axis=1)
    agreed = np.minimum(1.0, np.exp(logs[every, best]) / chances[every, best])
    agreed[strange[best]] = 1.0
    contrasts = np.array([die.contrast for die in dice])
    clear = np.clip((contrasts / contract.die_limits.dark - 1) / (CLEAR - 1), 0.0, 1.0)
    chances[:, :-1] *= (clear + (1 - clear) * agreed)[:, None]
    chances[:, -1] = 1 - chances[:, :-1].sum(axis=1)
    fused = iter(
        dataclass_replace(die, faces=dict(zip(faces, row[:-1], strict=True)), reject=row[-1])
        for die, row in zip(dice, chances.tolist(), strict=True)
    )
    return [tuple(next(fused) for _ in look) for look in looks]


def combine(logs: Floats, alike: Floats, contract: Contract, trust: Floats) -> Floats:
    """Combine the classifier's log probabilities (n, k + 1), the last of no face, with cosines to
    prints (n, k), NaN if a face has none, trusted (k,) or (n, k): (n, k + 1) probabilities, 0 for
    a face whose log probability is minus infinity."""
    terms = contract.enrolment
    known = np.where(np.isnan(alike), 0.0, trust)
    apart = np.log(1 + _ALIKE - np.where(known > 0, alike, terms.without_prints))
    by_prints = terms.prints_weight * (np.log(1 + _ALIKE - terms.without_prints) - apart)
    by_classifier = np.clip(logs[:, :-1] - logs[:, -1:], -_MOST, _MOST)
    found = known * by_prints + (1 - known) * by_classifier
    found[np.isneginf(logs[:, :-1])] = -np.inf
    found = np.concatenate([found, np.zeros((len(logs), 1))], axis=1)
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
        self, networks: Networks, profile: Profile | None = None, learned: Sequence[Lesson] = ()
    ) -> None:
        """Make a reader for a table. With a tray in the profile only dice in it count. Enrolled
        prints, and what was `learned` in play, are used for their boxes."""
        profile = profile or Profile()
        self.tray = profile.tray
        self._networks, self.contract = networks, networks.contract
        self._enrolled = {
            game: views_of(pictures, networks.classifier) for game, pictures in profile.dice.items()
        }
        self._played: dict[str, Playing] = {}
        self._deciders: dict[str, Decider] = {}
        for game in self._enrolled:
            self._use_prints(game)
        self.learn(*learned)
        self._decider = Decider(networks.contract)
        self._faces = [
            (index, Face(name))
            for index, name in enumerate(networks.contract.classifier.classes)
            if name != REJECT
        ]

    @staticmethod
    def shipped(profile: Profile | None = None, learned: Sequence[Lesson] = ()) -> Reader:
        """Make a reader with the packaged networks, each run once. ReaderError without them."""
        networks = Networks(resource_dir("models"))
        Reader(networks).look(np.full((360, 640, 3), 96, np.uint8))  # a network's first run is slow
        return Reader(networks, profile, learned)

    def learn(self, *lessons: Lesson) -> None:
        """Learn from the faces that the table gave to the dice of rests, or withdraw them, for
        readers made by `without_tray` as well. What cannot be used teaches nothing."""
        names = [name for name in self.contract.classifier.classes if name != REJECT]
        for game in {lesson.game for lesson in lessons}:
            mine = (self._played_roll(one, len(names)) for one in lessons if one.game == game)
            played = self._played.setdefault(game, Playing(names))
            played.learn(*filter(None, mine), fixed=self._enrolled.get(game))
            self._use_prints(game)

    def _played_roll(self, lesson: Lesson, faces: int) -> PlayedRoll | None:
        """See the dice of a lesson; None if one of its prints is no picture."""
        classifier = self._networks.classifier
        size = classifier.terms.input.width, classifier.terms.input.height
        crops = [_picture(print_) for print_ in lesson.prints]
        if not crops or any(one is None for one in crops):
            return None
        found = np.array([cv2.resize(one, size) for one in crops if one is not None], np.uint8)
        chances, vectors = classifier.judge(found)
        clear = measure_crops(found).contrast >= CLEAR * self.contract.die_limits.dark
        return PlayedRoll(vectors, chances[:, :faces], clear, lesson.faces, lesson.roll)

    def _use_prints(self, game: str) -> None:
        """Decide rolls of this game by all prints that are known."""
        views, played = dict(self._enrolled.get(game, {})), self._played.get(game)
        is_shown = played is None or played.views.keys() <= views.keys()
        for face, mine in (played.views if played is not None else {}).items():
            views[face] = mine.joined(views.get(face))
        is_confirmed = is_shown or (played is not None and played.is_confirmed)
        self._deciders[game] = Decider(self.contract, prints_of(views), is_confirmed)

    def known(self, game: str) -> frozenset[Face]:
        """The faces of this game whose prints are known."""
        return frozenset(self._deciders[game].prints if game in self._deciders else ())

    def is_half_known(self, rules: DiceRules) -> bool:
        """Whether other symbols stand in for faces of the game, and some are not known or not
        confirmed by the table."""
        decider = self._deciders.get(rules.game)
        return decider is not None and decider.is_half_known(rules)

    def recognise(
        self,
        boxes: Mapping[str, Reader],
        looks: Sequence[tuple[SeenDie, ...]],
        expected: Expected,
        image: Image,
    ) -> str | None:
        """Return whose dice these looks show, of readers for the table's other boxes: the only one
        that is sure, or the surest if all that are sure read the same faces; None without one."""
        read = {
            name: reader.decide(looks, expected, image, closely=False)
            for name, reader in boxes.items()
        }
        sure = {name: verdict for name, verdict in read.items() if verdict.sure}
        if len({tuple(die.face for die in verdict.dice) for verdict in sure.values()}) != 1:
            return None
        return max(sure, key=lambda name: sure[name].chance)

    def with_profile(self, profile: Profile, learned: Sequence[Lesson] = ()) -> Reader:
        """Make a reader with the same networks for another table or another box."""
        return Reader(self._networks, profile, learned)

    def without_tray(self) -> Reader:
        """Return a reader that ignores the tray, for photos by any camera. Both share learned
        prints."""
        reader = copy(self)
        reader.tray = None
        return reader

    def look(
        self, image: Image, before: Sequence[tuple[SeenDie, ...]] = (), *, finer: bool = False
    ) -> tuple[SeenDie, ...]:
        """Find every die in the picture that shows its top, and read each from a closer crop.

        `before`: the looks so far at dice that have lain still since. The next ones start from
        their corners, a third of the work; after LOOKS, in doubt, the dice are looked for again,
        as the first look may have missed one. `finer`: find them in a larger picture, which takes
        longer.
        """
        picture, networks = Pyramid(image), self._networks
        if before and before[-1] and len(before) < LOOKS:
            scores = np.array([die.score for die in before[-1]])
            solids = networks.refiner.look(picture, np.stack([die.quad for die in before[-1]]))
        else:
            rough, scores = networks.locator.locate(image, finer=finer)
            solids = networks.refiner.refine(picture, rough)
        bound = networks.contract.corners.top
        are_tops = solids.tops >= np.where(_cross_edge(image, solids), _EDGE_SHARE * bound, bound)
        if self.tray is not None:
            size = image.shape[1], image.shape[0]
            are_tops &= in_tray(solids.bases.mean(axis=1), self.tray, size)
        tops = np.flatnonzero(are_tops)
        if not len(tops):
            return ()
        tops = tops[without_parts(solids.quads[tops], solids.tops[tops])]
        solids = solids.only(tops)
        read = networks.classifier.classify(picture, solids.quads)
        return self._seen(solids, scores[tops].tolist(), read)

    def dice_of(
        self, look: tuple[SeenDie, ...], image: Image
    ) -> tuple[tuple[SeenDie, ...], tuple[SeenDie, ...]]:
        """The finds of a look that may be dice, left to right, and those that certainly are."""
        size = (image.shape[1], image.shape[0])
        found, odds, _ = self._decider.find_dice([look], size, None)
        certain = np.flatnonzero(odds >= self.contract.evidence.accept)
        return tuple(die.mean for die in found), tuple(found[n].mean for n in certain)

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
        near = [nearest(die, look) for die in reading.dice]
        if None in near:
            look = self.look(image, finer=True)
            near = [nearest(die, look) for die in reading.dice]
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

        With `closely`, a known number of dice and a doubt that another look can solve, they are
        looked at again (`resolved`).
        """
        verdict = self._decided(looks, expected, image)
        # Only the count reveals a die hidden beneath another.
        if not closely or expected.count is None:
            return verdict
        return resolved(
            verdict,
            lambda: self._decided([self.look_closely(image, looks[-1])], expected, image),
            lambda: self._decided([self.look(image, finer=True)], expected, image),
        )

    def _decided(
        self, looks: Sequence[tuple[SeenDie, ...]], expected: Expected, image: Image
    ) -> Verdict:
        rules = expected.rules
        decider = self._deciders.get(rules.game, self._decider)
        fused = fuse_with_prints(looks, decider.prints, self.contract)
        return decider.decide(fused, rules, (image.shape[1], image.shape[0]), expected.count)

    def read(self, image: Image, expected: Expected) -> DiceReading:
        """Read one still."""
        verdict = self.decide([self.look(image)], expected, image)
        return reading_of(verdict, expected.rules.game, Frame(image, 0.0, 0))


def resolved(
    verdict: Verdict, closer: Callable[[], Verdict], finer: Callable[[], Verdict]
) -> Verdict:
    """The verdict, or that of another look: a closer one at the same dice, if that solves all
    doubts, or a finer one, if that shows dice which are missing."""
    if verdict.may_resolve and verdict.is_confirmed_by(closely := closer()):
        return closely
    is_short = verdict.missing > 0 and not verdict.sure
    return finely if is_short and verdict.is_completed_by(finely := finer()) else verdict


def _cross_edge(image: Image, solids: Solids) -> npt.NDArray[np.bool_]:
    """(N,) which tops reach beyond the picture's edge."""
    size = np.array((image.shape[1], image.shape[0]))
    low, high = solids.quads.min(axis=1), solids.quads.max(axis=1)
    return np.asarray(((low < 0) | (high > size)).any(axis=1))


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


def nearest(die: DieReading, look: Sequence[SeenDie]) -> int | None:
    """The place in a look of the die that was read, None if it does not show it."""
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

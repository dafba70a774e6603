"""Decide which dice a rest shows, and whether that is sure, from one or more looks at it.

Three questions, each answered by one calibrated probability: is it a die, does it lie flat, is its
likeliest face right. A roll is sure if all its finds are dice with the right faces, together, and
nothing forbids it; a die that leans is a hint. Pure functions of the networks' outputs: nothing
here runs a network or sees a picture. The networks' thresholds are in their contract; the remaining
ones stand here.

Each probability is that of a logistic model. No single feature separates a die's top from its side,
a marker or a token: the detector may score a side face high, which does not fit the plane; a cocked
die does not fit either, but shows its print. Together, with weights fitted on rendered pictures
(`models.measure.fit`), they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace as with_fields

from companion.engine import Face
from companion.vision.box import DiceRules
from companion.vision.networks.contract import Contract, Evidence
from companion.vision.networks.corners import Solids, leans
from companion.vision.networks.locate import sides
from companion.vision.pictures import Floats, cv2
from companion.vision.read.geometry import covered, misfits, overlap
from companion.vision.read.seen import CLEAR, Prints, SeenDie, TrackedDie, likeness, tracked
from companion.vision.readings import SAME_PLACE, Alternative, DieReading, ReadingProblem

Doubles = npt.NDArray[np.float64]

_MISFIT = 0.35
"""The misfit to the common plane from which a die leans or has another size."""
CUT = 0.01
"""The share of the box outside the picture from which a find is judged as one at the edge."""
_CUT_OFF = 0.05
"""The same from which a die is reported as cut off: less is within the error of the corners under
its top."""
_READ = 0.95
"""The share of the top that must be inside the picture for a face to be named."""
_TWIN = 0.6
"""The overlap above which two tops are one die, found twice."""
_OVERLAP = 0.25
"""The overlap above which two dice cannot both lie flat on the table."""
_WITHIN = 0.7
"""The share of a top within another die's body above which one hides the other in part."""
_FARTHER = 0.97
"""The size, as a share of the die in front, up to which a partly hidden die is farther away."""
_BRIGHT = 0.03
"""The overexposed share of a top above which low contrast means glare, not darkness."""
_PRESENCE = 0.5
"""The share of looks below which a find is no die."""
_AGREEMENT = 0.8
"""The share of looks that must show the die, and the same face on it."""
_LEVEL = 0.83
"""The probability of lying flat, of all dice together, from which none is marked as leaning."""
_OFFERED = 0.02
"""The probability from which another face is offered as an alternative."""

RESOLVABLE = frozenset({ReadingProblem.NOT_FLAT, ReadingProblem.DOUBTFUL, ReadingProblem.STACKED})
"""Problems that a closer look at the same picture can solve. It cannot help a die that is cut,
small, dark, blurred or of another game."""


DIE_FEATURES = ("score", "top", "lean", "misfit", "reject", "face", "contrast", "rank", "constant")
"""The order of `Evidence.weights`."""


def die_features(dice: Sequence[SeenDie], shape: Shape) -> Doubles:
    """(N, 9) features that tell whether each candidate is a die, in the order of `DIE_FEATURES`.

    Each is bounded, so that no feature decides by itself. The rank is the score relative to the
    fourth best: dice of one picture score about equally.
    """
    odds = _odds(dice)
    scores = np.maximum([die.score for die in dice], 1e-3)
    fourth = np.sort(scores)[::-1][min(3, len(scores) - 1)] if dice else 1.0
    return np.stack(
        (
            odds[:, 0],
            np.minimum(odds[:, 1], 7.0),
            np.minimum(shape.angles, 45.0) / 20,
            np.minimum(shape.misfits, 1.0),
            odds[:, 2],
            odds[:, 3],
            _contrasts(dice),
            np.clip(np.log(scores / fourth), -2.0, 1.0),
            np.ones(len(dice)),
        ),
        axis=1,
    )


def _odds(dice: Sequence[SeenDie]) -> Doubles:
    """(N, 4) log-odds: of the detector's score, of being a top, of being no readable face, of the
    likeliest face."""
    chances = [(die.score, die.top, die.reject, max(die.faces.values())) for die in dice]
    return _logit(np.array(chances, np.float64).reshape(-1, 4))


def _contrasts(dice: Sequence[SeenDie]) -> Doubles:
    return np.minimum(np.array([die.contrast for die in dice], np.float64), 150.0) / 50


_COMMON_DEG = 2.0
"""The error of the common axis: no lean is known better."""

FLAT_FEATURES = ("flat", "lean", "misfit", "surprise", "spread", "constant")
"""The order of `Evidence.flat_weights`."""


def flat_features(dice: Sequence[SeenDie], shape: Shape) -> Doubles:
    """(N, 6) features that tell whether each die lies flat, in the order of `FLAT_FEATURES`.

    The surprise is the lean in units of the typical errors of its axis and the common one.
    """
    spreads = np.maximum([die.spread for die in dice], 1.0)
    return np.stack(
        (
            np.clip(_logit(np.array([die.flat for die in dice])), -5.0, 5.0),
            np.minimum(shape.angles, 45.0) / 10,
            np.sqrt(np.minimum(shape.misfits, 1.0)),
            np.minimum(shape.angles / (spreads + _COMMON_DEG), 6.0) / 2,
            np.log(spreads),
            np.ones(len(dice)),
        ),
        axis=1,
    )


def cut_features(dice: Sequence[SeenDie], shape: Shape) -> Doubles:
    """(N, 8) features that tell whether each candidate is a die cut off, in the order of
    `Evidence.cut_weights`: score, top, reject, face, contrast, size, inside, constant.

    As `die_features`, without those that need the whole die: its axis and its fit to the plane. The
    size feature is the absolute logarithm of the top's side relative to the likeliest finds, since
    dice of one picture have similar sizes; a sliver in the picture shows weaker signs.
    """
    odds = _odds(dice)
    return np.stack(
        (
            odds[:, 0],
            np.minimum(odds[:, 1], 7.0),
            odds[:, 2],
            odds[:, 3],
            _contrasts(dice),
            np.minimum(np.abs(np.log(_relative(odds[:, 0], shape.sides))), 1.5),
            shape.inside,
            np.ones(len(dice)),
        ),
        axis=1,
    )


def _relative(scores: Doubles, lengths: npt.NDArray[np.floating]) -> Doubles:
    """(N,) the lengths relative to the median of the five that score best."""
    lengths = np.maximum(lengths, 1.0)
    return np.asarray(lengths / np.median(lengths[np.argsort(-scores)[:5]]), np.float64)


def choose_dice(evidence: Evidence, odds: Sequence[float], expected: int | None) -> list[int]:
    """Choose the dice among candidates; indices into `odds`.

    If the number of dice is known, the likeliest possible ones complete it, under a lower bound,
    and the others are dropped. If it is not known, every possible one is reported.
    """
    lowest = evidence.possible if expected is None else evidence.possible_if_counted
    certain = [i for i, value in enumerate(odds) if value >= evidence.accept]
    perhaps = [i for i, value in enumerate(odds) if lowest <= value < evidence.accept]
    perhaps.sort(key=lambda index: -odds[index])
    if expected is not None:
        perhaps = perhaps[: max(0, expected - len(certain))]
    return certain + perhaps


FACE_FEATURES = (
    "odds", "likeness", "alone", "alone odds", "likeness odds", "company", "lean", "constant",
)  # fmt: skip
"""The order of `Evidence.face_weights` and `Enrolment.face_weights`."""


_STEEP_DEG = 10.0
"""The angle from which a lean makes it uncertain which side is the upper one: at half a right angle
two are equally high. Of dice of val that seem to lean 30 to 46°, 8 % were read by another side."""


def face_features(
    chances: npt.ArrayLike, likenesses: npt.ArrayLike, angles: npt.ArrayLike
) -> Doubles:
    """(N, 8) features that tell whether each die's likeliest face is right (`FACE_FEATURES`).

    `chances` (N, 3): the probabilities of its likeliest face of the game, of the next one, and of
    whatever is no face of the game. `likenesses` (N,) are cosines to what shows the same face,
    another die or known prints; NaN if nothing does. All dice of a box carry the same print of a
    face, so a foreign sign that is taken for a face differs from it, however sure the network is of
    both. Other games' dice come several at a time: the company is how likely one of the others is
    no face of the game, nothing while it may well be one. `angles` (N,) are as in `Shape`.
    """
    best, second, none = np.maximum(np.asarray(chances, np.float64).reshape(-1, 3).T, 0.0)
    odds = np.log(np.maximum(best, 1e-6) / (second + none + 1e-4))
    alike = np.asarray(likenesses, np.float64)
    alone = np.isnan(alike)
    likeness = np.where(alone, 0.0, -np.log(1.02 - np.where(alone, 0.0, alike)))
    return np.stack(
        (
            odds,
            likeness,
            alone.astype(np.float64),
            alone * odds,
            likeness * odds,
            _most_of_others(np.clip(_logit(none), 0.0, 6.0)),
            np.clip(np.asarray(angles, np.float64) - _STEEP_DEG, 0.0, 50.0) / 10,
            np.ones(len(odds)),
        ),
        axis=1,
    )


def _most_of_others(values: Doubles) -> Doubles:
    """(N,) the largest of the values beside each, 0 for one alone; none is negative."""
    ordered = np.sort(np.concatenate((np.zeros(2), values)))
    return np.asarray(np.where(values == ordered[-1], ordered[-2], ordered[-1]), np.float64)


def chances_of(odds: Doubles) -> Doubles:
    """The probabilities of log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30.0, 30.0))), np.float64)


def log_odds(weights: Sequence[float], seen: Doubles) -> Doubles:
    """(N,) the log-odds that a model gives by its weights and the features seen (N, k)."""
    return np.asarray(seen @ np.array(weights), np.float64)


def _logit(chances: Doubles) -> Doubles:
    bounded = np.clip(chances, 1e-4, 1 - 1e-4)
    return np.log(bounded / (1 - bounded))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The dice of a rest, left to right, and every reason for doubt."""

    dice: tuple[DieReading, ...]
    problems: tuple[ReadingProblem, ...]
    chance: float
    """A lower bound of the probability that all faces are right and of this game."""
    is_clear: bool = True
    """Whether all looks showed the same dice and faces, and no die has a fault that a closer look
    cannot solve."""
    missing: int = 0
    """How many fewer finds are certainly dice than were thrown."""

    @property
    def sure(self) -> bool:
        """Whether faces and number are right: a die that leans is no doubt of that."""
        return {ReadingProblem.NOT_FLAT}.issuperset(self.problems)

    @property
    def may_resolve(self) -> bool:
        """Whether a closer look at the dice could solve every problem."""
        return self.is_clear and bool(self.problems) and RESOLVABLE.issuperset(self.problems)

    def is_confirmed_by(self, closer: Verdict) -> bool:
        """Whether the closer look confirms what was seen: the same dice at the same places, with
        the faces that were likeliest before."""
        if not closer.sure or len(closer.dice) != len(self.dice):
            return False
        mates = [_nearest(die, closer.dice) for die in self.dice]
        if len(set(mates)) < len(mates):
            return False
        pairs = zip(self.dice, (closer.dice[mate] for mate in mates), strict=True)
        return all(_is_same(die, other) for die, other in pairs)

    def is_completed_by(self, finer: Verdict) -> bool:
        """Whether a finer look shows more dice or all, and none that was named before with another
        face."""
        pairs = ((die, other) for die in self.dice if die.face for other in finer.dice)
        is_better = finer.sure or finer.missing < self.missing
        return is_better and all(_is_same(*pair) for pair in pairs if _is_near(*pair))


def _nearest(die: DieReading, others: Sequence[DieReading]) -> int:
    return int(np.argmin([die.distance(other.centre) for other in others]))


def _is_same(die: DieReading, other: DieReading) -> bool:
    """Whether a closer look shows the same die: at its place, with its likeliest face."""
    likeliest = die.face or next((offered.face for offered in die.alternatives), None)
    return _is_near(die, other) and other.face == likeliest


def _is_near(die: DieReading, other: DieReading) -> bool:
    return die.distance(other.centre) < SAME_PLACE * min(die.box[2:])


@dataclass(frozen=True, slots=True)
class Shape:
    """The geometry of N dice in a picture; (N, ...) each."""

    quads: Floats
    bodies: Floats
    """(N, 8, 2) px the corners of the top, then those under them."""
    sides: Floats
    """The mean side of the top, px."""
    angles: Doubles
    """The angle from the axis of most dice, degrees; 0 if there are too few dice."""
    misfits: Doubles
    """The misfit to the plane of the dice; 0 if there are too few."""
    outside: Doubles
    """The share of the whole die's box that is outside the picture."""
    inside: Doubles
    """The share of the top that is inside."""

    @staticmethod
    def of(dice: Sequence[SeenDie], size: tuple[int, int]) -> Shape:
        """Measure dice in a picture of this size (width, height)."""
        quads = np.array([die.quad for die in dice], np.float32).reshape(-1, 4, 2)
        bases = np.array([die.base for die in dice], np.float32).reshape(-1, 4, 2)
        bodies = np.concatenate((quads, bases), axis=1)
        low, high = bodies.min(axis=1), bodies.max(axis=1)
        inner = np.clip(np.minimum(high, size) - np.maximum(low, 0), 0, None).prod(axis=1)
        outside = 1 - inner / np.maximum((high - low).prod(axis=1), 1.0)
        width, height = size
        frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        inside = [
            1.0 if not out else covered(quad, frame)
            for quad, out in zip(quads, outside, strict=True)
        ]
        return Shape(
            quads, bodies, sides(quads), *_axes(dice, quads, bases, size),
            np.asarray(outside, np.float64), np.array(inside),
        )  # fmt: skip

    def only(self, kept: Sequence[int], dice: Sequence[SeenDie], size: tuple[int, int]) -> Shape:
        """The same of some of the dice."""
        if len(kept) < len(dice):
            return Shape.of([dice[n] for n in kept], size)
        return Shape(*(getattr(self, part.name)[kept] for part in fields(self)))

    def near(self, points: Floats) -> npt.NDArray[np.bool_]:
        """(N, N) whether the upright box round the points (N, k, 2) of one die touches that of the
        top of another."""
        low, high = points.min(axis=1)[:, None], points.max(axis=1)[:, None]
        tops = self.quads.min(axis=1), self.quads.max(axis=1)
        return np.asarray(((high >= tops[0]) & (low <= tops[1])).all(axis=2))


def _axes(
    dice: Sequence[SeenDie], quads: Floats, bases: Floats, size: tuple[int, int]
) -> tuple[Doubles, Doubles]:
    """(N,) angles and (N,) misfits, as in `Shape`."""
    ones = np.ones(len(dice), np.float32)
    spreads = np.array([die.spread for die in dice], np.float32)
    angles = leans(Solids(quads, bases, ones, ones, spreads), size)
    misfit = misfits(quads)
    found = misfit if misfit is not None else np.zeros(len(dice))
    return np.asarray(angles, np.float64), np.minimum(found, 1e3)


@dataclass(frozen=True, slots=True)
class Decider:
    """Decides what looks show, by the networks' contract and the known prints of the box."""

    contract: Contract
    prints: Prints = field(default_factory=dict)
    is_confirmed: bool = True
    """Whether the prints were shown on purpose, or the table has confirmed what they say."""

    def decide(
        self,
        looks: Sequence[tuple[SeenDie, ...]],
        rules: DiceRules,
        size: tuple[int, int],
        expected: int | None = None,
    ) -> Verdict:
        """Decide what one or more looks at one rest show, in pictures of `size` (width, height)."""
        found, odds, shape = self.find_dice(looks, size, expected)
        means = [die.mean for die in found]
        flats, chances = self.chances(means, shape, rules)
        right = chances_of(odds) * chances
        sure = getattr(self.contract.sure_from, self.kind_of_box(rules))
        allowed = self._allowed(right, sure)
        is_half_known = self.is_half_known(rules)
        if is_half_known:
            allowed &= np.array([_likeliest(die, rules) in self.prints for die in means], bool)
        level = self._allowed(flats, _LEVEL)
        stacked = self._stacked(shape)
        dice = []
        for n, die in enumerate(found):
            problem: ReadingProblem | None = None
            if shape.outside[n] > _CUT_OFF or shape.inside[n] < _READ:
                problem = ReadingProblem.CUT
            elif n in stacked:
                problem = ReadingProblem.STACKED
            elif min(die.presence, die.agreement()) < _AGREEMENT:
                problem = ReadingProblem.DOUBTFUL
            elif not allowed[n]:
                problem = self._reason(die.mean, float(shape.sides[n]), rules)
            can_be_named = bool(shape.inside[n] >= _READ)
            read = self._read(die.mean, rules, float(chances[n]), problem, can_be_named)
            dice.append(read if level[n] else _leaning(read))
        problems = {die.problem for die in dice if die.problem is not None}
        if is_half_known:
            problems.add(ReadingProblem.DOUBTFUL)
        if not level.all():
            problems.add(ReadingProblem.NOT_FLAT)
        if not rules.allow(len(dice), expected):
            problems.add(ReadingProblem.COUNT)
        chance = max(0.0, 1 - float((1 - right).sum()))
        quads = np.array([look.quad for die in found for look in die.looks], np.float32)
        smallest = self.contract.die_limits.smallest_px
        is_large = bool((sides(quads.reshape(-1, 4, 2)) >= smallest).all())
        is_clear = is_large and all(self._is_clear(die, rules) for die in found)
        certain = int((odds >= self.contract.evidence.accept).sum())
        missing = max(0, expected - certain) if expected is not None else 0
        ordered = tuple(problem for problem in ReadingProblem if problem in problems)
        return Verdict(tuple(dice), ordered, chance, is_clear, missing)

    def kind_of_box(self, rules: DiceRules) -> Literal["unknown", "known", "strange"]:
        """How well the box is known, as in `SureFrom`."""
        if any(prints.is_strange for prints in self.prints.values()):
            return "strange"
        return "known" if self.prints.keys() >= set(rules.faces) else "unknown"

    def is_half_known(self, rules: DiceRules) -> bool:
        """Whether other symbols stand in for faces of the game, and some of these are not known, or
        nobody has confirmed them yet."""
        is_whole = self.is_confirmed and self.prints.keys() >= set(rules.faces)
        return self.kind_of_box(rules) == "strange" and not is_whole

    @staticmethod
    def _allowed(chances: Doubles, sure: float) -> npt.NDArray[np.bool_]:
        """(N,) which dice need no question: the most certain ones that together reach `sure`.
        Errors of several dice add up, so the doubt allowed for each depends on the others."""
        order = np.argsort(-chances, kind="stable")
        kept = np.zeros(len(chances), np.bool_)
        kept[order] = np.cumsum(1 - chances[order]) <= 1 - sure
        return kept

    def chances(
        self, dice: Sequence[SeenDie], shape: Shape, rules: DiceRules
    ) -> tuple[Doubles, Doubles]:
        """(N,) the probabilities that each lies flat, and that its likeliest face is right."""
        evidence = self.contract.evidence
        if not dice:
            return np.zeros(0), np.zeros(0)
        flats = chances_of(log_odds(evidence.flat_weights, flat_features(dice, shape)))
        flats = np.where(shape.misfits > _MISFIT, 0.0, flats)
        # One or two dice show no plane: then a look that sees a lean must suffice.
        looks = np.array([die.flat for die in dice])
        flats = np.where(looks < self.contract.corners.flat, np.minimum(flats, looks), flats)
        by_others, by_prints, trust = self.face_features(dice, shape, rules)
        faces = (1 - trust) * log_odds(evidence.face_weights, by_others)
        faces += trust * log_odds(self.contract.enrolment.face_weights, by_prints)
        # What is less likely than all else together is not made likely by what it is like.
        best = np.array([max(die.faces[face] for face in rules.faces) for die in dice])
        chances = chances_of(faces)
        chances = np.where(best < 0.5, np.minimum(chances, best), chances)
        return flats, chances

    def _reason(self, die: SeenDie, side: float, rules: DiceRules) -> ReadingProblem:
        if side < self.contract.die_limits.smallest_px:
            return ReadingProblem.SMALL
        if self._is_foreign(die, rules):
            return ReadingProblem.WRONG_GAME
        # A face whose prints the classifier knows must be seen well (`reader.fuse_with_prints`).
        known = self.prints.get(_likeliest(die, rules))
        clear = 1.0 if known is None or known.is_strange else CLEAR
        return self._fault(die, clear) or ReadingProblem.DOUBTFUL

    def _is_clear(self, die: TrackedDie, rules: DiceRules) -> bool:
        """Whether every look showed the die with the same face, and none shows a fault that a lean
        may have hidden."""
        return (
            die.presence == 1
            and die.agreement() == 1
            and not any(self._is_foreign(look, rules) for look in die.looks)
            and all(self._fault(look) is None for look in (die.mean, *die.looks))
        )

    def find_dice(
        self, looks: Sequence[tuple[SeenDie, ...]], size: tuple[int, int], expected: int | None
    ) -> tuple[list[TrackedDie], Doubles, Shape]:
        """Find the dice, left to right, (N,) the log-odds of each being one, and their shape."""
        found = [die for die in tracked(looks) if die.presence >= _PRESENCE]
        found.sort(key=lambda die: (-die.presence, die.mean.reject))
        means = [die.mean for die in found]
        shape = Shape.of(means, size)
        kept = _without_twins(shape)
        if len(kept) < len(found):
            found, means = [found[n] for n in kept], [means[n] for n in kept]
            shape = Shape.of(means, size)
        evidence = self.contract.evidence
        odds = log_odds(evidence.weights, die_features(means, shape))
        # A die that the picture's edge cuts off shows weaker signs. If it were dropped, the others
        # would pass for a whole roll.
        is_seen = shape.outside > CUT
        if is_seen.any():
            seen = cut_features(means, shape)
            is_seen &= log_odds(evidence.cut_weights, seen) >= evidence.cut
        is_seen &= ~_sides_of_others(shape, odds >= evidence.accept)
        odds = np.where(is_seen, np.maximum(odds, evidence.possible), odds)
        chosen = choose_dice(evidence, list(odds), expected)
        middles = shape.quads.mean(axis=1)
        kept = sorted(chosen, key=lambda n: tuple(middles[n]))
        return [found[n] for n in kept], odds[kept], shape.only(kept, means, size)

    def face_features(
        self, dice: Sequence[SeenDie], shape: Shape, rules: DiceRules
    ) -> tuple[Doubles, Doubles, Doubles]:
        """(N, 8) `FACE_FEATURES` of each die's likeliest face by the other dice that show it; the
        same by the known prints; and (N,) how far to trust the latter."""
        chances = []
        likeliest = [_likeliest(die, rules) for die in dice]
        vectors = np.array([die.embedding for die in dice])
        alike = vectors @ vectors.T
        same = np.array([[one is other for other in likeliest] for one in likeliest])
        np.fill_diagonal(same, val=False)
        by_others = np.where(same.any(axis=1), np.where(same, alike, -1.0).max(axis=1), np.nan)
        by_prints, trust = np.full(len(dice), np.nan), np.zeros(len(dice))
        for die in dice:
            own = sorted(die.faces[face] for face in rules.faces)
            strange = sum(die.faces.values()) - sum(own) + die.reject
            chances.append((own[-1], own[-2], strange))
        for face in set(likeliest) & self.prints.keys():
            mine = np.array([one is face for one in likeliest])
            by_prints[mine] = likeness(vectors[mine], self.prints[face].vectors)
            trust[mine] = self.prints[face].trust
        features = partial(face_features, chances, angles=shape.angles)
        return features(by_others), features(by_prints), trust

    def _stacked(self, shape: Shape) -> set[int]:
        """The dice of pairs that cannot both stand on the table.

        The top of a nearer die that touches another hides the side of that one. The picture is the
        same if a die's side was taken for a top below it, except that the upper one does not
        look smaller, as a farther die does.
        """
        found = set[int]()
        for upper, lower in zip(*np.nonzero(shape.near(shape.bodies)), strict=True):
            if upper == lower:
                continue
            high, low = shape.quads[upper], shape.quads[lower]
            if (
                shape.sides[upper] > _FARTHER * shape.sides[lower]
                and covered(low, _outline(shape.bodies[upper])) > _WITHIN
            ) or overlap(high, low) > _OVERLAP:
                found |= {int(upper), int(lower)}
        return found

    def _fault(self, die: SeenDie, clear: float = 1.0) -> ReadingProblem | None:
        bounds = self.contract.die_limits
        if die.contrast < clear * bounds.dark:
            return ReadingProblem.GLARE if die.clipped > _BRIGHT else ReadingProblem.TOO_DARK
        return ReadingProblem.BLURRED if die.sharpness < bounds.blurred else None

    def _is_foreign(self, die: SeenDie, rules: DiceRules) -> bool:
        own = sum(die.faces[face] for face in rules.faces)
        is_face = die.reject < self.contract.classifier.reject
        return is_face and sum(die.faces.values()) - own > own

    def _read(
        self,
        die: SeenDie,
        rules: DiceRules,
        chance: float,
        problem: ReadingProblem | None,
        can_be_named: bool,
    ) -> DieReading:
        """Make the reading of a die whose likeliest face is right with this probability: without a
        face if none of this game can be named."""
        own = {face: die.faces[face] for face in rules.faces}
        ranked = sorted(own, key=lambda face: -own[face])
        left = max(1 - own[ranked[0]], 1e-6)
        chances = [chance, *((1 - chance) * own[face] / left for face in ranked[1:])]
        accept = self.contract.classifier.accept
        is_named = can_be_named and chance >= accept and not self._is_foreign(die, rules)
        alternatives = tuple(
            Alternative(face=face, probability=round(value, 4))
            for face, value in zip(ranked, chances, strict=True)
            if value >= _OFFERED
        )
        return DieReading(
            face=ranked[0] if is_named else None,
            confidence=round(chance, 4),
            colour=die.colour,
            box=die.box(),
            flat=True,
            problem=problem if is_named else problem or ReadingProblem.DOUBTFUL,
            alternatives=alternatives[1:] if is_named else alternatives,
        )


def _leaning(die: DieReading) -> DieReading:
    return with_fields(die, flat=False, problem=die.problem or ReadingProblem.NOT_FLAT)


def _likeliest(die: SeenDie, rules: DiceRules) -> Face:
    return max(rules.faces, key=lambda face: die.faces[face])


def _without_twins(shape: Shape) -> list[int]:
    """The finds but those that an earlier one shows as well."""
    near, kept = shape.near(shape.quads), list[int]()
    for n, quad in enumerate(shape.quads):
        if not any(near[n, k] and overlap(quad, shape.quads[k]) > _TWIN for k in kept):
            kept.append(n)
    return kept


def _sides_of_others(shape: Shape, certain: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(N,) which finds at the picture's edge lie within the body of a certain die: its side there
    looks like the top of a die that is cut off."""
    found = np.zeros(len(certain), np.bool_)
    for body, top in zip(*np.nonzero(shape.near(shape.bodies)), strict=True):
        if body != top and certain[body] and shape.outside[top] > CUT:
            found[top] |= covered(shape.quads[top], _outline(shape.bodies[body])) > _WITHIN
    return found


def _outline(points: Floats) -> Floats:
    """(n, 2) the convex outline of points, px."""
    return np.asarray(cv2.convexHull(points)[:, 0], np.float32)

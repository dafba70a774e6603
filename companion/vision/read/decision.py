"""Decide which dice a rest shows, and whether that is sure, from one or more looks at it.

Three questions, each answered by one calibrated probability: is it a die, does it lie flat, is its
likeliest face right. A roll is sure where all of them together are, and nothing forbids it. Pure
functions of the networks' outputs: nothing here runs a network or sees a picture. The networks'
thresholds are in their contract; `DecisionLimits` holds the remaining ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from companion.engine import Face
from companion.vision.box import DiceRules
from companion.vision.networks.contract import Contract
from companion.vision.networks.corners import Solids, leans, sides
from companion.vision.pictures import cv2
from companion.vision.read.evidence import (
    CUT_SIGNS,
    SIGNS,
    chances_of,
    choose_dice,
    cut_log_odds,
    cut_signs,
    face_log_odds,
    face_signs,
    flat_log_odds,
    flat_signs,
    log_odds,
    signs,
)
from companion.vision.read.geometry import covered, is_far, misfits, overlap
from companion.vision.read.seen import Floats, Prints, SeenDie, TrackedDie, distance, likeness
from companion.vision.readings import SAME_PLACE, Alternative, DieReading, ReadingProblem

RESOLVABLE = frozenset({ReadingProblem.NOT_FLAT, ReadingProblem.DOUBTFUL, ReadingProblem.STACKED})
"""Problems that a closer look at the same picture can solve. It cannot help a die that is cut,
small, dark, blurred or of another game."""


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

    @property
    def sure(self) -> bool:
        """Whether the reading may be applied without a tap."""
        return not self.problems

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


def _nearest(die: DieReading, others: Sequence[DieReading]) -> int:
    return int(np.argmin([die.distance(other.centre) for other in others]))


def _is_same(die: DieReading, other: DieReading) -> bool:
    """Whether a closer look shows the same die: at its place, with its likeliest face."""
    is_there = die.distance(other.centre) < SAME_PLACE * min(die.box[2:])
    likeliest = die.face or next((offered.face for offered in die.alternatives), None)
    return is_there and other.face == likeliest


@dataclass(frozen=True, slots=True)
class DecisionLimits:
    """Thresholds for doubt that are not in the networks' contract."""

    misfit: float = 0.35
    """The misfit to the common plane from which a die leans or has another size."""
    cut: float = 0.01
    """The share of the box outside the picture from which a die is cut."""
    read: float = 0.95
    """The share of the top that must be inside the picture for a face to be named."""
    twin: float = 0.6
    """The overlap above which two tops are one die, found twice."""
    overlap: float = 0.25
    """The overlap above which two dice cannot both lie flat on the table."""
    within: float = 0.7
    """The share of a top within another die's body above which one hides the other in part."""
    farther: float = 0.97
    """The size, as a share of the die in front, up to which a partly hidden die is farther away."""
    bright: float = 0.03
    """The overexposed share of a top above which low contrast means glare, not darkness."""
    same: float = 0.4
    """The largest distance between looks of one die, in sides."""
    presence: float = 0.5
    """The share of looks below which a find is no die."""
    agreement: float = 0.8
    """The share of looks that must show the die, and the same face on it."""
    offered: float = 0.02
    """The probability from which another face is offered as an alternative."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """(N,) each: the probabilities that N finds are dice, lie flat, and show their likeliest
    face."""

    die: npt.NDArray[np.float64]
    flat: npt.NDArray[np.float64]
    face: npt.NDArray[np.float64]

    @property
    def all(self) -> npt.NDArray[np.float64]:
        """(N,) the probabilities that all three are so."""
        return self.die * self.flat * self.face


@dataclass(frozen=True, slots=True)
class Decider:
    """Decides what looks show, by the networks' contract and the known prints of the box."""

    contract: Contract
    limits: DecisionLimits = DecisionLimits()
    prints: Prints = field(default_factory=dict)

    def decide(
        self,
        looks: Sequence[tuple[SeenDie, ...]],
        rules: DiceRules,
        size: tuple[int, int],
        expected: int | None = None,
    ) -> Verdict:
        """Decide what one or more looks at one rest show, in pictures of `size` (width, height)."""
        found, odds = self._find_dice(looks, size, expected)
        means = [die.mean for die in found]
        certainty = self.certainty(means, odds, rules, size)
        allowed = self._allowed(certainty.all, self.sure_from(means, rules))
        stacked = self._stacked(means)
        dice = []
        for index, die in enumerate(found):
            problem = self._obstacle(die, size, stacked=index in stacked)
            if problem is None and not allowed[index]:
                problem = self._reason(die.mean, certainty, index, rules, size)
            dice.append(self._read(die, rules, size, float(certainty.face[index]), problem))
        problems = {die.problem for die in dice if die.problem is not None}
        if not rules.allow(len(dice), expected):
            problems.add(ReadingProblem.COUNT)
        chance = max(0.0, 1 - float((1 - certainty.all).sum()))
        is_clear = all(self._is_clear(die, rules, size) for die in found)
        return Verdict(
            tuple(dice), tuple(p for p in ReadingProblem if p in problems), chance, is_clear
        )

    def sure_from(self, dice: Sequence[SeenDie], rules: DiceRules) -> float:
        """The probability from which a roll of these dice is sure: the box's own where all their
        faces have prints."""
        terms = self.contract
        return terms.enrolment.sure if self.has_prints(dice, rules) else terms.classifier.sure

    @staticmethod
    def _allowed(chances: npt.NDArray[np.float64], sure: float) -> npt.NDArray[np.bool_]:
        """(N,) which dice need no question: the most certain ones that together reach `sure`.
        Errors of several dice add up, so the doubt allowed for each depends on the others."""
        order = np.argsort(-chances, kind="stable")
        kept = np.zeros(len(chances), np.bool_)
        kept[order] = np.cumsum(1 - chances[order]) <= 1 - sure
        return kept

    def certainty(
        self,
        dice: Sequence[SeenDie],
        odds: npt.NDArray[np.float64],
        rules: DiceRules,
        size: tuple[int, int],
    ) -> Certainty:
        """The three probabilities of each of these, whose log-odds of being dice are (N,)."""
        evidence = self.contract.evidence
        if not dice:
            none = np.zeros(0)
            return Certainty(none, none, none)
        angles, misfit = _geometry(dice, size)
        flat = flat_signs([(die.flat, die.spread) for die in dice], angles, misfit)
        flats = chances_of(flat_log_odds(evidence, flat))
        flats = np.where(misfit > self.limits.misfit, 0.0, flats)
        # One or two dice show no plane: then a look that sees a lean must suffice.
        looks = np.array([die.flat for die in dice])
        flats = np.where(looks < self.contract.corners.flat, np.minimum(flats, looks), flats)
        seen = self.face_signs(dice, rules)
        known = [_likeliest(die, rules) in self.prints for die in dice]
        faces = np.where(
            known,
            face_log_odds(self.contract.enrolment.face_weights, seen),
            face_log_odds(evidence.face_weights, seen),
        )
        # What is less likely than all else together is not made likely by what it is like.
        best = np.array([max(die.faces[face] for face in rules.faces) for die in dice])
        chances = chances_of(faces)
        chances = np.where(best < 0.5, np.minimum(chances, best), chances)
        return Certainty(chances_of(odds), flats, chances)

    def _reason(
        self,
        die: SeenDie,
        certainty: Certainty,
        index: int,
        rules: DiceRules,
        size: tuple[int, int],
    ) -> ReadingProblem:
        fault = self._fault(die, size)
        if fault is ReadingProblem.SMALL:
            return fault
        chances = certainty.die[index], certainty.flat[index], certainty.face[index]
        if min(chances) == chances[1]:
            return ReadingProblem.NOT_FLAT
        if self._is_foreign(die, rules):
            return ReadingProblem.WRONG_GAME
        return fault or ReadingProblem.DOUBTFUL

    def _is_clear(self, die: TrackedDie, rules: DiceRules, size: tuple[int, int]) -> bool:
        """Whether every look showed the die with the same face, and none shows a fault that a lean
        may have hidden."""
        return (
            die.presence == 1
            and die.agreement() == 1
            and not any(self._is_foreign(look, rules) for look in die.looks)
            and all(self._fault(look, size) is None for look in (die.mean, *die.looks))
        )

    def _find_dice(
        self, looks: Sequence[tuple[SeenDie, ...]], size: tuple[int, int], expected: int | None
    ) -> tuple[list[TrackedDie], npt.NDArray[np.float64]]:
        """Find the dice, left to right, and (N,) the log-odds of each being one."""
        tracked = [die for die in self._tracked(looks) if die.presence >= self.limits.presence]
        found = self._without_twins(tracked)
        evidence = self.contract.evidence
        means = [die.mean for die in found]
        odds = log_odds(evidence, self.signs(means, size))
        # A die that the picture's edge cuts off shows weaker signs. If it were dropped, the others
        # would pass for a whole roll.
        cut = np.array([self.is_cut(die.mean, size) for die in found], bool)
        is_seen = cut & (cut_log_odds(evidence, self.cut_signs(means, size)) >= evidence.cut)
        is_seen &= ~self._sides_of_others(means, odds >= evidence.accept)
        odds = np.where(is_seen, np.maximum(odds, evidence.possible), odds)
        chosen = choose_dice(evidence, list(odds), expected)
        kept = sorted(chosen, key=lambda n: tuple(means[n].quad.mean(axis=0)))
        return [found[n] for n in kept], odds[kept]

    def _sides_of_others(
        self, dice: Sequence[SeenDie], certain: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """(N,) which finds lie within the body of a certain die: its side, seen at the picture's
        edge, looks like the top of a die that is cut off."""
        bodies = [(n, _body(die)) for n, die in enumerate(dice) if certain[n]]
        return np.array(
            [
                any(
                    index != place and covered(die.quad, body) > self.limits.within
                    for index, body in bodies
                )
                for place, die in enumerate(dice)
            ],
            bool,
        )

    def dice_and_odds(
        self,
        looks: Sequence[tuple[SeenDie, ...]],
        size: tuple[int, int],
        expected: int | None = None,
    ) -> list[tuple[SeenDie, float]]:
        """Find the dice, left to right: each as the mean of its looks, with the log-odds of being
        one."""
        found, odds = self._find_dice(looks, size, expected)
        return [(found[index].mean, float(odds[index])) for index in range(len(found))]

    def face_signs(self, dice: Sequence[SeenDie], rules: DiceRules) -> npt.NDArray[np.float64]:
        """(N, 7) the signs that each die's likeliest face is right (`evidence.FACE_SIGNS`): what
        shows the same face are the known prints, or else the other dice."""
        chances, alike = [], []
        likeliest = [_likeliest(die, rules) for die in dice]
        for index, die in enumerate(dice):
            own = sorted(die.faces[face] for face in rules.faces)
            strange = sum(die.faces.values()) - sum(own) + die.reject
            chances.append((own[-1], own[-2], strange))
            face = likeliest[index]
            others = [n for n, same in enumerate(likeliest) if same == face and n != index]
            if face in self.prints:
                alike.append(likeness(die.embedding, self.prints[face]))
            else:
                found = [float(die.embedding @ dice[n].embedding) for n in others]
                alike.append(max(found, default=float("nan")))
        return face_signs(chances, alike)

    def has_prints(self, dice: Sequence[SeenDie], rules: DiceRules) -> bool:
        """Whether the box has prints of every likeliest face of these dice."""
        return all(_likeliest(die, rules) in self.prints for die in dice)

    def signs(self, dice: Sequence[SeenDie], size: tuple[int, int]) -> npt.NDArray[np.float64]:
        """(N, 9) the signs that each of these is a die (`evidence.SIGNS`)."""
        if not dice:
            return np.zeros((0, len(SIGNS)))
        angles, misfit = _geometry(dice, size)
        chances = [_chances(die) for die in dice]
        return signs(chances, angles, misfit, [die.contrast for die in dice])

    def cut_signs(self, dice: Sequence[SeenDie], size: tuple[int, int]) -> npt.NDArray[np.float64]:
        """(N, 8) the signs that each of these is a die cut off (`evidence.CUT_SIGNS`)."""
        if not dice:
            return np.zeros((0, len(CUT_SIGNS)))
        lengths = sides(np.array([die.quad for die in dice]))
        chances = [_chances(die) for die in dice]
        insides = [_inside(die, size) for die in dice]
        return cut_signs(chances, [die.contrast for die in dice], lengths, insides)

    def flat_signs(self, dice: Sequence[SeenDie], size: tuple[int, int]) -> npt.NDArray[np.float64]:
        """(N, 6) the signs that each die lies flat (`evidence.FLAT_SIGNS`)."""
        angles, misfit = _geometry(dice, size)
        looks = [(die.flat, die.spread) for die in dice]
        return flat_signs(looks, angles, misfit)

    def is_cut(self, die: SeenDie, size: tuple[int, int]) -> bool:
        """Whether part of the die is outside a picture of this size."""
        return _outside(die, size) > self.limits.cut

    def _tracked(self, looks: Sequence[tuple[SeenDie, ...]]) -> list[TrackedDie]:
        """Group the looks by die: dice at rest keep their places, so places match them."""
        tracks: list[list[SeenDie]] = []
        for look in looks:
            free = list(range(len(tracks)))
            for die in look:
                near = min(free, key=lambda index: distance(tracks[index][0], die), default=None)
                if near is not None and distance(tracks[near][0], die) < self.limits.same:
                    tracks[near].append(die)
                    free.remove(near)
                else:
                    tracks.append([die])
        return [TrackedDie.of(track, len(looks)) for track in tracks]

    def _without_twins(self, found: list[TrackedDie]) -> list[TrackedDie]:
        """Drop duplicate finds; the one seen in more looks, or more certainly, is kept."""
        kept: list[TrackedDie] = []
        for die in sorted(found, key=lambda d: (-d.presence, d.mean.reject)):
            if all(overlap(die.mean.quad, k.mean.quad) <= self.limits.twin for k in kept):
                kept.append(die)
        return kept

    def _stacked(self, dice: Sequence[SeenDie]) -> set[int]:
        pairs = combinations(range(len(dice)), 2)
        return {n for pair in pairs if self._are_stacked(*(dice[n] for n in pair)) for n in pair}

    def _are_stacked(self, one: SeenDie, other: SeenDie) -> bool:
        """Whether the two cannot both stand on the table.

        The top of a nearer die that touches another hides the side of that one. The picture is the
        same where a die's side was taken for a top below it, except that the upper one does not
        look smaller, as a farther die does.
        """
        if overlap(one.quad, other.quad) > self.limits.overlap:
            return True
        return self._stands_on(one, other) or self._stands_on(other, one)

    def _stands_on(self, upper: SeenDie, lower: SeenDie) -> bool:
        """Whether one die's body covers the other's top, and it is not farther away."""
        if is_far(lower.quad, np.concatenate((upper.quad, upper.base))):
            return False
        if covered(lower.quad, _body(upper)) <= self.limits.within:
            return False
        high, low = sides(np.array([upper.quad, lower.quad]))
        return bool(high > self.limits.farther * low)

    def _obstacle(
        self, die: TrackedDie, size: tuple[int, int], *, stacked: bool
    ) -> ReadingProblem | None:
        """What forbids a sure reading of this die however likely it is; None for nothing."""
        if self.is_cut(die.mean, size):
            return ReadingProblem.CUT
        if stacked:
            return ReadingProblem.STACKED
        if min(die.presence, die.agreement()) < self.limits.agreement:
            return ReadingProblem.DOUBTFUL
        return None

    def _fault(self, die: SeenDie, size: tuple[int, int]) -> ReadingProblem | None:
        bounds = self.contract.die_limits
        if float(sides(die.quad[None])[0]) < bounds.smallest_px:
            return ReadingProblem.SMALL
        if die.contrast < bounds.dark:
            return (
                ReadingProblem.GLARE
                if die.clipped > self.limits.bright
                else ReadingProblem.TOO_DARK
            )
        return ReadingProblem.BLURRED if die.sharpness < bounds.blurred else None

    def _is_foreign(self, die: SeenDie, rules: DiceRules) -> bool:
        own = sum(die.faces[face] for face in rules.faces)
        is_face = die.reject < self.contract.classifier.reject
        return is_face and sum(die.faces.values()) - own > own

    def _read(
        self,
        die: TrackedDie,
        rules: DiceRules,
        size: tuple[int, int],
        chance: float,
        problem: ReadingProblem | None,
    ) -> DieReading:
        """Make the reading of a die whose likeliest face is right with this probability: without a
        face where none of this game can be named."""
        mean = die.mean
        own = {face: mean.faces[face] for face in rules.faces}
        ranked = sorted(own, key=lambda face: -own[face])
        left = max(sum(own.values()) - own[ranked[0]], 1e-6)
        chances = [chance, *((1 - chance) * own[face] / left for face in ranked[1:])]
        is_named = (
            chance >= self.contract.classifier.accept
            and not self._is_foreign(mean, rules)
            and _inside(mean, size) >= self.limits.read
        )
        alternatives = tuple(
            Alternative(face=face, probability=round(value, 4))
            for face, value in zip(ranked, chances, strict=True)
            if value >= self.limits.offered
        )
        return DieReading(
            face=ranked[0] if is_named else None,
            confidence=round(chance, 4),
            colour=mean.colour,
            box=mean.box(),
            flat=problem is not ReadingProblem.NOT_FLAT,
            problem=problem if is_named else problem or ReadingProblem.DOUBTFUL,
            alternatives=alternatives[1:] if is_named else alternatives,
        )


def _chances(die: SeenDie) -> tuple[float, float, float, float]:
    return die.score, die.top, die.reject, max(die.faces.values())


def _likeliest(die: SeenDie, rules: DiceRules) -> Face:
    return max(rules.faces, key=lambda face: die.faces[face])


def _geometry(
    dice: Sequence[SeenDie], size: tuple[int, int]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(N,) each die's angle from the axis of most dice, degrees, and (N,) its misfit to their
    plane; 0 where there are too few dice."""
    quads = np.array([die.quad for die in dice])
    bases = np.array([die.base for die in dice])
    ones = np.ones(len(dice), np.float32)
    spreads = np.array([die.spread for die in dice], np.float32)
    angles = leans(Solids(quads, bases, ones, ones, spreads), size)
    misfit = misfits(quads)
    found = misfit if misfit is not None else np.zeros(len(dice))
    return np.asarray(angles, np.float64), np.minimum(found, 1e3)


def _body(die: SeenDie) -> Floats:
    """(n, 2) the outline of the whole die, convex, px."""
    points = np.concatenate((die.quad, die.base)).astype(np.float32)
    return np.asarray(cv2.convexHull(points)[:, 0], np.float32)


def _inside(die: SeenDie, size: tuple[int, int]) -> float:
    width, height = size
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return covered(die.quad, frame)


def _outside(die: SeenDie, size: tuple[int, int]) -> float:
    low, high = die.extent()
    inner = np.clip(np.minimum(high, size) - np.maximum(low, 0), 0, None)
    return 1 - float(inner.prod() / max(float((high - low).prod()), 1.0))

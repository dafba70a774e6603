"""Decide which dice a rest shows, and whether that is sure, from one or more looks at it.

Pure functions of the networks' outputs: nothing here runs a network or sees a picture. The
networks' thresholds are in their contract; `DecisionLimits` holds the remaining ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from companion.engine import Face
from companion.vision.box.rules import DiceRules
from companion.vision.networks.contract import Contract
from companion.vision.networks.corners import Solids, leans, sides
from companion.vision.opencv import cv2
from companion.vision.read.evidence import (
    CUT_SIGNS,
    SIGNS,
    choose_dice,
    cut_log_odds,
    cut_signs,
    flat_log_odds,
    flat_signs,
    log_odds,
    signs,
)
from companion.vision.read.geometry import covered, is_far, misfits, overlap
from companion.vision.read.prints import Prints, likeness
from companion.vision.read.seen import Floats, SeenDie, TrackedDie, distance
from companion.vision.read.verdict import Verdict
from companion.vision.readings import Alternative, DieReading
from companion.vision.states import ReadingProblem


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
    clear: float = 1e-3
    """The doubt below which a face is clear."""
    tolerance: float = 0.15
    """The power of the doubt by which two dice with the same face may differ."""


@dataclass(frozen=True, slots=True)
class _Thresholds:
    """What a roll must reach: the similarity of dice with the same face, the joint probability of
    all faces, and the log-odds of each die lying flat."""

    alike: float
    sure: float
    flat: float


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
        found, doubted = self._dice_and_doubted(looks, size, expected)
        means = [die.mean for die in found]
        needs = self._thresholds(means, rules)
        leaning, stacked = self._leaning(means, size, needs.flat), self._stacked(means)
        alike = self.similarities(means, rules)
        dice = []
        for index, die in enumerate(found):
            problem = self._problem(die, size, leans=leaning[index], stacked=index in stacked)
            is_odd = alike[index] < needs.alike
            if problem is None and (is_odd or die in doubted):
                problem = ReadingProblem.DOUBTFUL
            dice.append(self._read(die, rules, size, problem))
        confidences = self._confidences(means, rules)
        dice = _mark_doubtful(dice, confidences, needs.sure)
        problems = {die.problem for die in dice if die.problem is not None}
        if not rules.allow(len(dice), expected):
            problems.add(ReadingProblem.COUNT)
        chance = max(0.0, 1 - sum(1 - one for one in confidences))
        is_clear = all(self._is_clear(die, rules, size) for die in found)
        return Verdict(
            tuple(dice), tuple(p for p in ReadingProblem if p in problems), chance, is_clear
        )

    def _is_clear(self, die: TrackedDie, rules: DiceRules, size: tuple[int, int]) -> bool:
        """Whether every look showed the die with the same face, and none shows a fault that a lean
        may have hidden."""
        return (
            die.presence == 1
            and die.agreement() == 1
            and not any(self._is_foreign(look, rules) for look in die.looks)
            and all(self._fault(look, size) is None for look in (die.mean, *die.looks))
        )

    def _dice_and_doubted(
        self, looks: Sequence[tuple[SeenDie, ...]], size: tuple[int, int], expected: int | None
    ) -> tuple[list[TrackedDie], list[TrackedDie]]:
        """Find the dice, left to right, and those of them that are doubtful."""
        found, odds, possible = self._find_dice(looks, size, expected)
        enough = np.inf if expected is None else self.contract.evidence.no_doubt
        doubted = [die for n, die in enumerate(found) if possible[n] and odds[n] < enough]
        return found, doubted

    def _find_dice(
        self, looks: Sequence[tuple[SeenDie, ...]], size: tuple[int, int], expected: int | None
    ) -> tuple[list[TrackedDie], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Find the dice, left to right; (N,) the log-odds of each being one; (N,) which are only
        possible ones."""
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
        certain, possible = choose_dice(evidence, list(odds), expected)
        kept = sorted((*certain, *possible), key=lambda n: tuple(means[n].quad.mean(axis=0)))
        return [found[n] for n in kept], odds[kept], np.isin(kept, possible)

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
        found, odds, _ = self._find_dice(looks, size, expected)
        return [(found[index].mean, float(odds[index])) for index in range(len(found))]

    def similarities(self, dice: Sequence[SeenDie], rules: DiceRules) -> npt.NDArray[np.float64]:
        """(N,) the similarity of each die to the most similar other die with the same likeliest
        face, or known print of that face.

        A cosine of embeddings, raised towards 1 where one of the two is unsure; 1 where there is
        no other die and no print. All dice of a box carry the same print of a face, so a foreign
        sign that is taken for a face differs from that face on another die, however sure the
        network is of both. A badly seen die differs from its own kind as well, so the tolerance
        grows with the doubt.
        """
        likeliest = [_likeliest(die, rules) for die in dice]
        doubts = np.maximum([1 - _confidence(die, rules) for die in dice], self.limits.clear)
        found = np.ones(len(dice))
        for index, die in enumerate(dice):
            others = [
                n for n, face in enumerate(likeliest) if face == likeliest[index] and n != index
            ]
            away = [1 - float(die.embedding @ dice[n].embedding) for n in others]
            doubt = [max(doubts[n], doubts[index]) for n in others]
            if likeliest[index] in self.prints:
                away.append(1 - likeness(die.embedding, self.prints[likeliest[index]]))
                doubt.append(doubts[index])
            if away:
                tolerance = (self.limits.clear / np.array(doubt)) ** self.limits.tolerance
                found[index] = (1 - np.array(away) * tolerance).max()
        return found

    def has_prints(self, dice: Sequence[SeenDie], rules: DiceRules) -> bool:
        """Whether the box has prints of every likeliest face of these dice."""
        return all(_likeliest(die, rules) in self.prints for die in dice)

    def _thresholds(self, dice: Sequence[SeenDie], rules: DiceRules) -> _Thresholds:
        """The thresholds for these dice: the box's own where all their faces have prints."""
        terms = self.contract
        if self.has_prints(dice, rules):
            known = terms.enrolment
            return _Thresholds(alike=known.alike, sure=known.sure, flat=known.flat)
        return _Thresholds(
            alike=terms.die_limits.alike, sure=terms.classifier.sure, flat=terms.evidence.flat
        )

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

    def _confidences(self, dice: Sequence[SeenDie], rules: DiceRules) -> list[float]:
        """The confidence in each die's likeliest face, lower for a face that no other die and no
        known print shows."""
        shown = [_likeliest(die, rules) for die in dice]
        singletons = {face for face in shown if shown.count(face) == 1} - self.prints.keys()
        factor = self.contract.classifier.singleton
        return [
            1 - min(1.0, (1 - _confidence(die, rules)) * (factor if face in singletons else 1.0))
            for face, die in zip(shown, dice, strict=True)
        ]

    def _leaning(self, dice: Sequence[SeenDie], size: tuple[int, int], needed: float) -> list[bool]:
        """Which dice do not lie flat, by their own look, their axis and the plane of the others:
        the log-odds of lying flat are lower than needed."""
        if not dice:
            return []
        angles, misfit = _geometry(dice, size)
        terms, evidence = self.contract.corners, self.contract.evidence
        looks = [(die.flat, die.spread) for die in dice]
        away = flat_log_odds(evidence, flat_signs(looks, angles, misfit)) < needed
        flats = np.array([die.flat for die in dice])
        away |= (flats < terms.flat) | (misfit > self.limits.misfit)
        return [bool(far) for far in away]

    def _stacked(self, dice: Sequence[SeenDie]) -> set[int]:
        """The indices of dice that cannot stand on the table together with another."""
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

    def _problem(
        self, die: TrackedDie, size: tuple[int, int], *, leans: bool, stacked: bool
    ) -> ReadingProblem | None:
        """The main reason why this die cannot be read, None where it can."""
        fault = self._fault(die.mean, size)
        if fault in (ReadingProblem.CUT, ReadingProblem.SMALL):
            return fault
        if stacked:
            return ReadingProblem.STACKED
        return ReadingProblem.NOT_FLAT if leans else fault

    def _fault(self, die: SeenDie, size: tuple[int, int]) -> ReadingProblem | None:
        """The main fault of the die's picture, however the die lies; None where it has none."""
        bounds = self.contract.die_limits
        if self.is_cut(die, size):
            return ReadingProblem.CUT
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
        """Whether the die more likely shows a face of the other game."""
        own = sum(die.faces[face] for face in rules.faces)
        is_face = die.reject < self.contract.classifier.reject
        return is_face and sum(die.faces.values()) - own > own

    def _read(
        self,
        die: TrackedDie,
        rules: DiceRules,
        size: tuple[int, int],
        problem: ReadingProblem | None,
    ) -> DieReading:
        """Make the reading of a die: without a face where none of this game can be named."""
        terms = self.contract.classifier
        mean = die.mean
        own = {face: mean.faces[face] for face in rules.faces}
        foreign = sum(mean.faces.values()) - sum(own.values())
        total = sum(own.values()) or 1.0
        ranked = sorted(own, key=lambda face: -own[face])
        chances = [own[face] / total for face in ranked]
        wrong_game = self._is_foreign(mean, rules)
        is_named = (
            not wrong_game
            and chances[0] >= terms.accept
            and mean.reject < terms.reject
            and _inside(mean, size) >= self.limits.read
        )
        doubtful = (
            not is_named
            or foreign > terms.foreign
            or die.presence < self.limits.agreement
            or die.agreement() < self.limits.agreement
        )
        if problem is None and doubtful:
            problem = ReadingProblem.WRONG_GAME if wrong_game else ReadingProblem.DOUBTFUL
        alternatives = tuple(
            Alternative(face=face, probability=round(chance, 4))
            for face, chance in zip(ranked, chances, strict=True)
            if chance >= self.limits.offered
        )
        return DieReading(
            face=ranked[0] if is_named else None,
            confidence=round(chances[0], 4),
            colour=mean.colour,
            box=mean.box(),
            flat=problem is not ReadingProblem.NOT_FLAT,
            problem=problem,
            alternatives=alternatives[1:] if is_named else alternatives,
        )


def _mark_doubtful(
    dice: Sequence[DieReading], confidences: Sequence[float], sure: float
) -> list[DieReading]:
    """Mark the least certain dice doubtful until the rest reach `sure` jointly.

    Errors of six dice add up, so the doubt allowed for each die depends on the others.
    """
    left = 1 - sure
    found = list(dice)
    for index in sorted(range(len(dice)), key=lambda place: -confidences[place]):
        if found[index].problem is None:
            left -= 1 - confidences[index]
            if left < 0:
                found[index] = replace(found[index], problem=ReadingProblem.DOUBTFUL)
    return found


def _chances(die: SeenDie) -> tuple[float, float, float, float]:
    """The networks' probabilities for the die, as `evidence.signs` takes them."""
    return die.score, die.top, die.reject, max(die.faces.values())


def _likeliest(die: SeenDie, rules: DiceRules) -> Face:
    """The die's likeliest face of this game."""
    return max(rules.faces, key=lambda face: die.faces[face])


def _confidence(die: SeenDie, rules: DiceRules) -> float:
    """The probability that the die's likeliest face is right, given that it is one of this game."""
    own = [die.faces[face] for face in rules.faces]
    return max(own) / max(sum(own) + die.reject, 1e-6)


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
    """The share of the die's top inside the picture."""
    width, height = size
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return covered(die.quad, frame)


def _outside(die: SeenDie, size: tuple[int, int]) -> float:
    """The share of the die's box outside the picture."""
    low, high = die.extent()
    inner = np.clip(np.minimum(high, size) - np.maximum(low, 0), 0, None)
    return 1 - float(inner.prod() / max(float((high - low).prod()), 1.0))

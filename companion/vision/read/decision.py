"""From what one or more looks at a rest showed to what lies there, and whether that is sure.

Pure: the networks have spoken before, nothing here looks at a picture. Doubt is an answer. What
the networks are trusted with stands in their contract; `DecisionLimits` holds what is left.
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
    chosen,
    cut_log_odds,
    cut_signs,
    flat_log_odds,
    flat_signs,
    log_odds,
    signs,
)
from companion.vision.read.geometry import covered, is_far, misfits, overlap
from companion.vision.read.prints import Prints, likeness
from companion.vision.read.seen import Floats, SeenDie, TrackedDie, apart
from companion.vision.read.verdict import Verdict
from companion.vision.readings import Alternative, DieReading
from companion.vision.states import Problem


@dataclass(frozen=True, slots=True)
class DecisionLimits:
    """Where doubt begins, beside what the networks' contract says."""

    misfit: float = 0.35
    """A die that fits the common plane worse leans, or is of another size, however it looks."""
    cut: float = 0.01
    """So much of its box outside the picture, and the die is cut."""
    read: float = 0.95
    """So much of its top must be in the picture for a face to be said."""
    twin: float = 0.6
    """Two faces that overlap more are one, found twice."""
    overlap: float = 0.25
    """Two that overlap more are not both flat on the table."""
    within: float = 0.7
    """Where more of a top lies within another die's body, one hides a part of the other."""
    farther: float = 0.97
    """A die that another hides in part lies farther away: no larger than this share of that one."""
    bright: float = 0.03
    """Where so much of a top is overexposed, it is light that leaves it without contrast."""
    same: float = 0.4
    """Looks of one die are no farther apart, in sides."""
    presence: float = 0.5
    """A die seen in fewer of the looks was none."""
    agreement: float = 0.8
    """So many of the looks must have seen the die, and the same face on it."""
    offered: float = 0.02
    """Another face as likely as this is worth offering."""
    plain: float = 1e-3
    """With less doubt than this a face is plain to see."""
    lenience: float = 0.15
    """With which power of the doubt two dice with one face may be unlike."""


@dataclass(frozen=True, slots=True)
class _Least:
    """How like one another dice with one face must be, how sure all faces together, and how surely
    each die must lie flat, in log-odds."""

    alike: float
    sure: float
    flat: float


@dataclass(frozen=True, slots=True)
class Decider:
    """Weighs looks by the networks' contract, and by the prints that are known of the box."""

    contract: Contract
    limits: DecisionLimits = DecisionLimits()
    prints: Prints = field(default_factory=dict)

    def weigh(
        self,
        looks: Sequence[tuple[SeenDie, ...]],
        rules: DiceRules,
        size: tuple[int, int],
        expected: int | None = None,
    ) -> Verdict:
        """What lies there, from one or more looks at one rest in pictures of this size."""
        found, doubted = self._dice(looks, size, expected)
        means = [die.mean for die in found]
        least = self._least(means, rules)
        leaning, stacked = self._leaning(means, size, least.flat), self._stacked(means)
        alike = self.alike(means, rules)
        dice = []
        for index, die in enumerate(found):
            problem = self._problem(die, size, leans=leaning[index], stacked=index in stacked)
            is_odd = alike[index] < least.alike
            if problem is None and (is_odd or die in doubted):
                problem = Problem.DOUBTFUL
            dice.append(self._read(die, rules, size, problem))
        trust = self._trusts(means, rules)
        dice = _doubted(dice, trust, least.sure)
        problems = {die.problem for die in dice if die.problem is not None}
        if not rules.allow(len(dice), expected):
            problems.add(Problem.COUNT)
        chance = max(0.0, 1 - sum(1 - one for one in trust))
        is_plain = all(self._is_plain(die, rules, size) for die in found)
        return Verdict(tuple(dice), tuple(p for p in Problem if p in problems), chance, is_plain)

    def _is_plain(self, die: TrackedDie, rules: DiceRules, size: tuple[int, int]) -> bool:
        """Whether every look showed it and the same face on it, and none anything wrong with it
        that a lean may have hidden."""
        return (
            die.presence == 1
            and die.agreement() == 1
            and not any(self._is_foreign(look, rules) for look in die.looks)
            and all(self._fault(look, size) is None for look in (die.mean, *die.looks))
        )

    def _dice(
        self, looks: Sequence[tuple[SeenDie, ...]], size: tuple[int, int], expected: int | None
    ) -> tuple[list[TrackedDie], list[TrackedDie]]:
        """What counts as a die, left to right, and which of these only perhaps are one."""
        found, odds, perhaps = self._weighed(looks, size, expected)
        enough = np.inf if expected is None else self.contract.evidence.needed
        doubted = [die for n, die in enumerate(found) if perhaps[n] and odds[n] < enough]
        return found, doubted

    def _weighed(
        self, looks: Sequence[tuple[SeenDie, ...]], size: tuple[int, int], expected: int | None
    ) -> tuple[list[TrackedDie], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """What counts as a die, left to right; (N,) the log-odds of each being one, and (N,)
        whether it only perhaps is one."""
        tracked = [die for die in self._tracked(looks) if die.presence >= self.limits.presence]
        found = self._without_twins(tracked)
        evidence = self.contract.evidence
        means = [die.mean for die in found]
        odds = log_odds(evidence, self.signs(means, size))
        # What the picture's edge cuts off shows less of what speaks for it; unseen, it would
        # leave the others looking like a whole roll.
        cut = np.array([self.is_cut(die.mean, size) for die in found], bool)
        is_seen = cut & (cut_log_odds(evidence, self.cut_signs(means, size)) >= evidence.cut)
        is_seen &= ~self._sides_of_others(means, odds >= evidence.die)
        odds = np.where(is_seen, np.maximum(odds, evidence.trace), odds)
        certain, perhaps = chosen(evidence, list(odds), expected)
        kept = sorted((*certain, *perhaps), key=lambda n: tuple(means[n].quad.mean(axis=0)))
        return [found[n] for n in kept], odds[kept], np.isin(kept, perhaps)

    def _sides_of_others(
        self, dice: Sequence[SeenDie], certain: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """(N,) which of these lie within the body of one that is certainly a die: its side, seen
        at the picture's edge, looks like the top of a die that is cut off."""
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

    def counted(
        self,
        looks: Sequence[tuple[SeenDie, ...]],
        size: tuple[int, int],
        expected: int | None = None,
    ) -> list[tuple[SeenDie, float]]:
        """What counts as a die, left to right, all its looks together; and the log-odds of each
        being one."""
        found, odds, _ = self._weighed(looks, size, expected)
        return [(found[index].mean, float(odds[index])) for index in range(len(found))]

    def alike(self, dice: Sequence[SeenDie], rules: DiceRules) -> npt.NDArray[np.float64]:
        """(N,) how like each die is to the likest of the others whose likeliest face is the same,
        and of that face's known prints: a cosine of embeddings, nearer to 1 where one of the two is
        unsure; 1 where there is no other and no print.

        The dice of a box carry one print. A sign that is none of the game's and is taken for a face
        is unlike that face beside it, however sure the network is of both. What is badly seen is
        unlike its own kind as well: the distance is let grow with the doubt.
        """
        said = [_said(die, rules) for die in dice]
        doubts = np.maximum([1 - _trust(die, rules) for die in dice], self.limits.plain)
        found = np.ones(len(dice))
        for index, die in enumerate(dice):
            others = [n for n, face in enumerate(said) if face == said[index] and n != index]
            away = [1 - float(die.embedding @ dice[n].embedding) for n in others]
            doubt = [max(doubts[n], doubts[index]) for n in others]
            if said[index] in self.prints:
                away.append(1 - likeness(die.embedding, self.prints[said[index]]))
                doubt.append(doubts[index])
            if away:
                lenience = (self.limits.plain / np.array(doubt)) ** self.limits.lenience
                found[index] = (1 - np.array(away) * lenience).max()
        return found

    def knows(self, dice: Sequence[SeenDie], rules: DiceRules) -> bool:
        """Whether there are prints of every face that these dice are likeliest to show."""
        return all(_said(die, rules) in self.prints for die in dice)

    def _least(self, dice: Sequence[SeenDie], rules: DiceRules) -> _Least:
        """What is asked of these dice."""
        terms = self.contract
        if self.knows(dice, rules):
            known = terms.enrolment
            return _Least(alike=known.alike, sure=known.sure, flat=known.flat)
        plain = terms.classifier.sure
        return _Least(alike=terms.judgement.alike, sure=plain, flat=terms.evidence.flat)

    def signs(self, dice: Sequence[SeenDie], size: tuple[int, int]) -> npt.NDArray[np.float64]:
        """(N, 9) what speaks for each of these being a die (`evidence.SIGNS`)."""
        if not dice:
            return np.zeros((0, len(SIGNS)))
        angles, misfit = _geometry(dice, size)
        chances = [_chances(die) for die in dice]
        return signs(chances, angles, misfit, [die.contrast for die in dice])

    def cut_signs(self, dice: Sequence[SeenDie], size: tuple[int, int]) -> npt.NDArray[np.float64]:
        """(N, 8) what speaks for each of these being a die cut off (`evidence.CUT_SIGNS`)."""
        if not dice:
            return np.zeros((0, len(CUT_SIGNS)))
        lengths = sides(np.array([die.quad for die in dice]))
        chances = [_chances(die) for die in dice]
        insides = [_inside(die, size) for die in dice]
        return cut_signs(chances, [die.contrast for die in dice], lengths, insides)

    def flat_signs(self, dice: Sequence[SeenDie], size: tuple[int, int]) -> npt.NDArray[np.float64]:
        """(N, 6) what speaks for each of these dice lying flat (`evidence.FLAT_SIGNS`)."""
        angles, misfit = _geometry(dice, size)
        looks = [(die.flat, die.spread) for die in dice]
        return flat_signs(looks, angles, misfit)

    def is_cut(self, die: SeenDie, size: tuple[int, int]) -> bool:
        """Whether part of it lies outside a picture of this size."""
        return _outside(die, size) > self.limits.cut

    def _tracked(self, looks: Sequence[tuple[SeenDie, ...]]) -> list[TrackedDie]:
        """The same die of all looks together; it does not move, so its place tells."""
        tracks: list[list[SeenDie]] = []
        for look in looks:
            free = list(range(len(tracks)))
            for die in look:
                near = min(free, key=lambda index: apart(tracks[index][0], die), default=None)
                if near is not None and apart(tracks[near][0], die) < self.limits.same:
                    tracks[near].append(die)
                    free.remove(near)
                else:
                    tracks.append([die])
        return [TrackedDie.of(track, len(looks)) for track in tracks]

    def _without_twins(self, found: list[TrackedDie]) -> list[TrackedDie]:
        """Less those that are a die already found, seen more often or with more certainty."""
        kept: list[TrackedDie] = []
        for die in sorted(found, key=lambda d: (-d.presence, d.mean.reject)):
            if all(overlap(die.mean.quad, k.mean.quad) <= self.limits.twin for k in kept):
                kept.append(die)
        return kept

    def _trusts(self, dice: Sequence[SeenDie], rules: DiceRules) -> list[float]:
        """How far each die's likeliest face is to be trusted; less where no other die shows it and
        no print."""
        said = [_said(die, rules) for die in dice]
        alone = {face for face in said if said.count(face) == 1} - self.prints.keys()
        doubts = [1 - _trust(die, rules) for die in dice]
        return [
            1 - min(1.0, doubt * (self.contract.classifier.alone if face in alone else 1.0))
            for face, doubt in zip(said, doubts, strict=True)
        ]

    def _leaning(self, dice: Sequence[SeenDie], size: tuple[int, int], least: float) -> list[bool]:
        """Which dice do not lie flat: by their own look, by their axis, by the others' plane, the
        log-odds of all of it less than the least."""
        if not dice:
            return []
        angles, misfit = _geometry(dice, size)
        terms, evidence = self.contract.corners, self.contract.evidence
        looks = [(die.flat, die.spread) for die in dice]
        away = flat_log_odds(evidence, flat_signs(looks, angles, misfit)) < least
        flats = np.array([die.flat for die in dice])
        away |= (flats < terms.flat) | (misfit > self.limits.misfit)
        return [bool(far) for far in away]

    def _stacked(self, dice: Sequence[SeenDie]) -> set[int]:
        """Which of the dice cannot stand on the table together with another."""
        pairs = combinations(range(len(dice)), 2)
        return {n for pair in pairs if self._are_stacked(*(dice[n] for n in pair)) for n in pair}

    def _are_stacked(self, one: SeenDie, other: SeenDie) -> bool:
        """Whether the two cannot both stand on the table.

        A die that touches another and lies nearer hides that one's side with its own top. So does,
        in the picture, a die's side that was taken for a top below it; but then the one above does
        not look smaller, as what is farther away does.
        """
        if overlap(one.quad, other.quad) > self.limits.overlap:
            return True
        return self._stands_on(one, other) or self._stands_on(other, one)

    def _stands_on(self, upper: SeenDie, lower: SeenDie) -> bool:
        if is_far(lower.quad, np.concatenate((upper.quad, upper.base))):
            return False
        if covered(lower.quad, _body(upper)) <= self.limits.within:
            return False
        high, low = sides(np.array([upper.quad, lower.quad]))
        return bool(high > self.limits.farther * low)

    def _problem(
        self, die: TrackedDie, size: tuple[int, int], *, leans: bool, stacked: bool
    ) -> Problem | None:
        """What keeps this die's picture from being read, the plainest reason first."""
        fault = self._fault(die.mean, size)
        if fault in (Problem.CUT, Problem.SMALL):
            return fault
        if stacked:
            return Problem.STACKED
        return Problem.NOT_FLAT if leans else fault

    def _fault(self, die: SeenDie, size: tuple[int, int]) -> Problem | None:
        """What is wrong with its picture, however it lies, the plainest first."""
        bounds = self.contract.judgement
        if self.is_cut(die, size):
            return Problem.CUT
        if float(sides(die.quad[None])[0]) < bounds.smallest_px:
            return Problem.SMALL
        if die.contrast < bounds.dark:
            return Problem.GLARE if die.clipped > self.limits.bright else Problem.TOO_DARK
        return Problem.BLURRED if die.sharpness < bounds.blurred else None

    def _is_foreign(self, die: SeenDie, rules: DiceRules) -> bool:
        """Whether it rather shows a face of the other game."""
        own = sum(die.faces[face] for face in rules.faces)
        is_face = die.reject < self.contract.classifier.reject
        return is_face and sum(die.faces.values()) - own > own

    def _read(
        self, die: TrackedDie, rules: DiceRules, size: tuple[int, int], problem: Problem | None
    ) -> DieReading:
        """The die with its face, or without where none of this game can be said."""
        terms = self.contract.classifier
        mean = die.mean
        own = {face: mean.faces[face] for face in rules.faces}
        foreign = sum(mean.faces.values()) - sum(own.values())
        total = sum(own.values()) or 1.0
        ranked = sorted(own, key=lambda face: -own[face])
        chances = [own[face] / total for face in ranked]
        wrong_game = self._is_foreign(mean, rules)
        said = (
            not wrong_game
            and chances[0] >= terms.accept
            and mean.reject < terms.reject
            and _inside(mean, size) >= self.limits.read
        )
        doubtful = (
            not said
            or foreign > terms.foreign
            or die.presence < self.limits.agreement
            or die.agreement() < self.limits.agreement
        )
        if problem is None and doubtful:
            problem = Problem.WRONG_GAME if wrong_game else Problem.DOUBTFUL
        alternatives = tuple(
            Alternative(face=face, probability=round(chance, 4))
            for face, chance in zip(ranked, chances, strict=True)
            if chance >= self.limits.offered
        )
        return DieReading(
            face=ranked[0] if said else None,
            confidence=round(chances[0], 4),
            colour=mean.colour,
            box=mean.box(),
            flat=problem is not Problem.NOT_FLAT,
            problem=problem,
            alternatives=alternatives[1:] if said else alternatives,
        )


def _doubted(dice: Sequence[DieReading], trust: Sequence[float], sure: float) -> list[DieReading]:
    """The dice, of which so many of the least trusted are doubtful that the others are, all of them
    together, right with this probability.

    Six dice multiply their errors: what each of them may be unsure of depends on the others.
    """
    left = 1 - sure
    found = list(dice)
    for index in sorted(range(len(dice)), key=lambda place: -trust[place]):
        if found[index].problem is None:
            left -= 1 - trust[index]
            if left < 0:
                found[index] = replace(found[index], problem=Problem.DOUBTFUL)
    return found


def _chances(die: SeenDie) -> tuple[float, float, float, float]:
    """What the networks said of it, as `evidence.signs` takes it."""
    return die.score, die.top, die.reject, max(die.faces.values())


def _said(die: SeenDie, rules: DiceRules) -> Face:
    """Its likeliest face of this game."""
    return max(rules.faces, key=lambda face: die.faces[face])


def _trust(die: SeenDie, rules: DiceRules) -> float:
    """The probability that its likeliest face is right, the die being one of this game."""
    own = [die.faces[face] for face in rules.faces]
    return max(own) / max(sum(own) + die.reject, 1e-6)


def _geometry(
    dice: Sequence[SeenDie], size: tuple[int, int]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(N,) how far each die's axis is from that of most, degrees, and (N,) how it misfits their
    plane; 0 where there are too few dice to say."""
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
    """The share of the die's top that lies in the picture."""
    width, height = size
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return covered(die.quad, frame)


def _outside(die: SeenDie, size: tuple[int, int]) -> float:
    """The share of the die's box that lies outside the picture."""
    low, high = die.extent()
    inner = np.clip(np.minimum(high, size) - np.maximum(low, 0), 0, None)
    return 1 - float(inner.prod() / max(float((high - low).prod()), 1.0))

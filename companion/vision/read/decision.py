"""Decide which dice a rest shows, and whether that is sure, from one or more looks at it.

Three questions, each answered by one calibrated probability: is it a die, does it lie flat, is its
likeliest face right. A roll is sure where all of them together are, and nothing forbids it. Pure
functions of the networks' outputs: nothing here runs a network or sees a picture. The networks'
thresholds are in their contract; the remaining ones stand here.

Each probability is that of a logistic model. No single sign separates a die's top from its side, a
marker or a token: the detector may score a side face high, which does not fit the plane; a cocked
die does not fit either, but shows its print. Together, with weights fitted on rendered pictures
(`models.measure.fit_evidence`), they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from companion.engine import Face
from companion.vision.box import DiceRules
from companion.vision.networks.contract import Contract, Evidence
from companion.vision.networks.corners import Solids, leans
from companion.vision.networks.locate import sides
from companion.vision.pictures import Floats, cv2
from companion.vision.read.geometry import covered, is_far, misfits, overlap
from companion.vision.read.seen import Prints, SeenDie, TrackedDie, distance, likeness
from companion.vision.readings import SAME_PLACE, Alternative, DieReading, ReadingProblem

Doubles = npt.NDArray[np.float64]

_MISFIT = 0.35
"""The misfit to the common plane from which a die leans or has another size."""
_CUT = 0.01
"""The share of the box outside the picture from which a die is cut."""
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
_SAME = 0.4
"""The largest distance between looks of one die, in sides."""
_PRESENCE = 0.5
"""The share of looks below which a find is no die."""
_AGREEMENT = 0.8
"""The share of looks that must show the die, and the same face on it."""
_OFFERED = 0.02
"""The probability from which another face is offered as an alternative."""

RESOLVABLE = frozenset({ReadingProblem.NOT_FLAT, ReadingProblem.DOUBTFUL, ReadingProblem.STACKED})
"""Problems that a closer look at the same picture can solve. It cannot help a die that is cut,
small, dark, blurred or of another game."""


SIGNS = ("score", "top", "lean", "misfit", "reject", "face", "contrast", "rank", "constant")
"""The order of `Evidence.weights`."""


def signs(
    chances: npt.ArrayLike, leans: npt.ArrayLike, misfits: npt.ArrayLike, contrasts: npt.ArrayLike
) -> Doubles:
    """(N, 9) the signs that each candidate is a die, in the order of `SIGNS`.

    `chances` (N, 4): the detector's score, the probabilities of being a top, of being no readable
    face, and of the likeliest face. `leans` (N,) degrees, `misfits` (N,) shares of a side,
    `contrasts` (N,) grey levels. Each is bounded, so that no sign decides by itself. The rank
    is the score relative to the fourth best: dice of one picture score about equally.
    """
    odds = _logit(np.asarray(chances, np.float64))
    scores = np.maximum(np.asarray(chances, np.float64)[:, 0], 1e-3)
    fourth = np.sort(scores)[::-1][min(3, len(scores) - 1)]
    return np.stack(
        (
            odds[:, 0],
            np.minimum(odds[:, 1], 7.0),
            np.minimum(leans, 45.0) / 20,
            np.minimum(misfits, 1.0),
            odds[:, 2],
            odds[:, 3],
            np.minimum(contrasts, 150.0) / 50,
            np.clip(np.log(scores / fourth), -2.0, 1.0),
            np.ones(len(odds)),
        ),
        axis=1,
    )


_COMMON_DEG = 2.0
"""The error of the common axis: no lean is known better."""

FLAT_SIGNS = ("flat", "lean", "misfit", "surprise", "spread", "constant")
"""The order of `Evidence.flat_weights`."""


def flat_signs(looks: npt.ArrayLike, leans: npt.ArrayLike, misfits: npt.ArrayLike) -> Doubles:
    """(N, 6) the signs that each die lies flat, in the order of `FLAT_SIGNS`.

    `looks` (N, 2): its own look's probability, and the typical error of its axis in degrees;
    `leans` (N,) degrees and `misfits` (N,) shares of a side against the other dice. The surprise
    is the lean in units of the typical errors of its axis and the common one.
    """
    flats, spreads = np.asarray(looks, np.float64).reshape(-1, 2).T
    spreads = np.maximum(spreads, 1.0)
    return np.stack(
        (
            np.clip(_logit(flats), -5.0, 5.0),
            np.minimum(leans, 45.0) / 10,
            np.sqrt(np.minimum(misfits, 1.0)),
            np.minimum(np.asarray(leans) / (spreads + _COMMON_DEG), 6.0) / 2,
            np.log(spreads),
            np.ones(len(flats)),
        ),
        axis=1,
    )


CUT_SIGNS = ("score", "top", "reject", "face", "contrast", "size", "inside", "constant")
"""The order of `Evidence.cut_weights`."""


def cut_signs(
    chances: npt.ArrayLike,
    contrasts: npt.ArrayLike,
    lengths: npt.ArrayLike,
    insides: npt.ArrayLike,
) -> Doubles:
    """(N, 8) the signs that each candidate is a die cut off, in the order of `CUT_SIGNS`.

    As `signs`, without those that need the whole die: its axis and its fit to the plane.
    `lengths` (N,) px are the sides of the tops; the size sign is the absolute logarithm of the
    length relative to the likeliest finds, since dice of one picture have similar sizes.
    `insides` (N,) are the shares of the tops inside the picture: a sliver shows weaker signs.
    """
    odds = _logit(np.asarray(chances, np.float64))
    return np.stack(
        (
            odds[:, 0],
            np.minimum(odds[:, 1], 7.0),
            odds[:, 2],
            odds[:, 3],
            np.minimum(contrasts, 150.0) / 50,
            np.minimum(np.abs(np.log(_relative(odds[:, 0], np.asarray(lengths, np.float64)))), 1.5),
            np.asarray(insides, np.float64),
            np.ones(len(odds)),
        ),
        axis=1,
    )


def _relative(scores: Doubles, lengths: Doubles) -> Doubles:
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


FACE_SIGNS = ("odds", "likeness", "alone", "alone odds", "likeness odds", "company", "constant")
"""The order of `Evidence.face_weights` and `Enrolment.face_weights`."""


def face_signs(chances: npt.ArrayLike, likenesses: npt.ArrayLike) -> Doubles:
    """(N, 7) the signs that each die's likeliest face is right, in the order of `FACE_SIGNS`.

    `chances` (N, 3): the probabilities of its likeliest face of the game, of the next one, and of
    whatever is no face of the game. `likenesses` (N,) are cosines to what shows the same face,
    another die or known prints; NaN if nothing does. All dice of a box carry the same print of a
    face, so a foreign sign that is taken for a face differs from it, however sure the network is of
    both. Other games' dice come several at a time: the company is how likely one of the others is
    no face of the game, nothing while it may well be one.
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
    """(N,) the log-odds that a model gives by its weights and the signs seen (N, k)."""
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
class Certainty:
    """(N,) each: the probabilities that N finds are dice, lie flat, and show their likeliest
    face."""

    die: Doubles
    flat: Doubles
    face: Doubles

    @property
    def all(self) -> Doubles:
        """(N,) the probabilities that all three are so."""
        return self.die * self.flat * self.face


@dataclass(frozen=True, slots=True)
class Decider:
    """Decides what looks show, by the networks' contract and the known prints of the box."""

    contract: Contract
    prints: Prints = field(default_factory=dict)

    def decide(
        self,
        looks: Sequence[tuple[SeenDie, ...]],
        rules: DiceRules,
        size: tuple[int, int],
        expected: int | None = None,
    ) -> Verdict:
        """Decide what one or more looks at one rest show, in pictures of `size` (width, height)."""
        found, odds = self.find_dice(looks, size, expected)
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
    def _allowed(chances: Doubles, sure: float) -> npt.NDArray[np.bool_]:
        """(N,) which dice need no question: the most certain ones that together reach `sure`.
        Errors of several dice add up, so the doubt allowed for each depends on the others."""
        order = np.argsort(-chances, kind="stable")
        kept = np.zeros(len(chances), np.bool_)
        kept[order] = np.cumsum(1 - chances[order]) <= 1 - sure
        return kept

    def certainty(
        self,
        dice: Sequence[SeenDie],
        odds: Doubles,
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
        flats = chances_of(log_odds(evidence.flat_weights, flat))
        flats = np.where(misfit > _MISFIT, 0.0, flats)
        # One or two dice show no plane: then a look that sees a lean must suffice.
        looks = np.array([die.flat for die in dice])
        flats = np.where(looks < self.contract.corners.flat, np.minimum(flats, looks), flats)
        seen = self.face_signs(dice, rules)
        known = [_likeliest(die, rules) in self.prints for die in dice]
        faces = np.where(
            known,
            log_odds(self.contract.enrolment.face_weights, seen),
            log_odds(evidence.face_weights, seen),
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

    def find_dice(
        self, looks: Sequence[tuple[SeenDie, ...]], size: tuple[int, int], expected: int | None
    ) -> tuple[list[TrackedDie], Doubles]:
        """Find the dice, left to right, and (N,) the log-odds of each being one."""
        tracked = [die for die in self._tracked(looks) if die.presence >= _PRESENCE]
        found = self._without_twins(tracked)
        evidence = self.contract.evidence
        means = [die.mean for die in found]
        odds = log_odds(evidence.weights, self.signs(means, size))
        # A die that the picture's edge cuts off shows weaker signs. If it were dropped, the others
        # would pass for a whole roll.
        cut = np.array([self.is_cut(die.mean, size) for die in found], bool)
        is_seen = cut & (
            log_odds(evidence.cut_weights, self.cut_signs(means, size)) >= evidence.cut
        )
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
                any(index != place and covered(die.quad, body) > _WITHIN for index, body in bodies)
                for place, die in enumerate(dice)
            ],
            bool,
        )

    def face_signs(self, dice: Sequence[SeenDie], rules: DiceRules) -> Doubles:
        """(N, 7) the signs that each die's likeliest face is right (`FACE_SIGNS`): what
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

    def signs(self, dice: Sequence[SeenDie], size: tuple[int, int]) -> Doubles:
        """(N, 9) the signs that each of these is a die (`SIGNS`)."""
        if not dice:
            return np.zeros((0, len(SIGNS)))
        angles, misfit = _geometry(dice, size)
        chances = [_chances(die) for die in dice]
        return signs(chances, angles, misfit, [die.contrast for die in dice])

    def cut_signs(self, dice: Sequence[SeenDie], size: tuple[int, int]) -> Doubles:
        """(N, 8) the signs that each of these is a die cut off (`CUT_SIGNS`)."""
        if not dice:
            return np.zeros((0, len(CUT_SIGNS)))
        lengths = sides(np.array([die.quad for die in dice]))
        chances = [_chances(die) for die in dice]
        insides = [_inside(die, size) for die in dice]
        return cut_signs(chances, [die.contrast for die in dice], lengths, insides)

    def flat_signs(self, dice: Sequence[SeenDie], size: tuple[int, int]) -> Doubles:
        """(N, 6) the signs that each die lies flat (`FLAT_SIGNS`)."""
        angles, misfit = _geometry(dice, size)
        looks = [(die.flat, die.spread) for die in dice]
        return flat_signs(looks, angles, misfit)

    def is_cut(self, die: SeenDie, size: tuple[int, int]) -> bool:
        """Whether part of the die is outside a picture of this size."""
        return _outside(die, size) > _CUT

    def _tracked(self, looks: Sequence[tuple[SeenDie, ...]]) -> list[TrackedDie]:
        """Group the looks by die: dice at rest keep their places, so places match them."""
        tracks: list[list[SeenDie]] = []
        for look in looks:
            free = list(range(len(tracks)))
            for die in look:
                near = min(free, key=lambda index: distance(tracks[index][0], die), default=None)
                if near is not None and distance(tracks[near][0], die) < _SAME:
                    tracks[near].append(die)
                    free.remove(near)
                else:
                    tracks.append([die])
        return [TrackedDie.of(track, len(looks)) for track in tracks]

    def _without_twins(self, found: list[TrackedDie]) -> list[TrackedDie]:
        """Drop duplicate finds; the one seen in more looks, or more certainly, is kept."""
        kept: list[TrackedDie] = []
        for die in sorted(found, key=lambda d: (-d.presence, d.mean.reject)):
            if all(overlap(die.mean.quad, k.mean.quad) <= _TWIN for k in kept):
                kept.append(die)
        return kept

    def _stacked(self, dice: Sequence[SeenDie]) -> set[int]:
        pairs = combinations(range(len(dice)), 2)
        return {n for pair in pairs if self._are_stacked(*(dice[n] for n in pair)) for n in pair}

    def _are_stacked(self, one: SeenDie, other: SeenDie) -> bool:
        """Whether the two cannot both stand on the table.

        The top of a nearer die that touches another hides the side of that one. The picture is the
        same if a die's side was taken for a top below it, except that the upper one does not
        look smaller, as a farther die does.
        """
        if overlap(one.quad, other.quad) > _OVERLAP:
            return True
        return self._stands_on(one, other) or self._stands_on(other, one)

    def _stands_on(self, upper: SeenDie, lower: SeenDie) -> bool:
        """Whether one die's body covers the other's top, and it is not farther away."""
        if is_far(lower.quad, np.concatenate((upper.quad, upper.base))):
            return False
        if covered(lower.quad, _body(upper)) <= _WITHIN:
            return False
        high, low = sides(np.array([upper.quad, lower.quad]))
        return bool(high > _FARTHER * low)

    def _obstacle(
        self, die: TrackedDie, size: tuple[int, int], *, stacked: bool
    ) -> ReadingProblem | None:
        """What forbids a sure reading of this die however likely it is; None for nothing."""
        if self.is_cut(die.mean, size):
            return ReadingProblem.CUT
        if stacked:
            return ReadingProblem.STACKED
        if min(die.presence, die.agreement()) < _AGREEMENT:
            return ReadingProblem.DOUBTFUL
        return None

    def _fault(self, die: SeenDie, size: tuple[int, int]) -> ReadingProblem | None:
        bounds = self.contract.die_limits
        if float(sides(die.quad[None])[0]) < bounds.smallest_px:
            return ReadingProblem.SMALL
        if die.contrast < bounds.dark:
            return ReadingProblem.GLARE if die.clipped > _BRIGHT else ReadingProblem.TOO_DARK
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
            and _inside(mean, size) >= _READ
        )
        alternatives = tuple(
            Alternative(face=face, probability=round(value, 4))
            for face, value in zip(ranked, chances, strict=True)
            if value >= _OFFERED
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


def _geometry(dice: Sequence[SeenDie], size: tuple[int, int]) -> tuple[Doubles, Doubles]:
    """(N,) each die's angle from the axis of most dice, degrees, and (N,) its misfit to their
    plane; 0 if there are too few dice."""
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

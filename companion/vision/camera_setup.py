"""The set-up of a camera and a box of dice: checks of the picture, prints of each face, a test.

The checks and the judging of views are pure functions of what the reader saw; their thresholds
stand here, those of a die's own picture in the networks' contract. `SetupSession` follows the
frames in the camera's process: it looks twice a second. Views count once the dice rest, each die
once for each way it lies; after NEED of them the next face is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.engine import Face
from companion.intervals import wilson
from companion.vision.box import Corners, DiceRules
from companion.vision.messages import (
    FEWEST,
    NEED,
    Area,
    Check,
    CheckKey,
    DieView,
    FaceViews,
    Grade,
    HeldOut,
    Quadrant,
    Result,
    SetupSeen,
    Stage,
    TestDie,
    TestRoll,
    ViewProblem,
)
from companion.vision.networks.contract import DieLimits
from companion.vision.networks.corners import resized
from companion.vision.networks.locate import sides
from companion.vision.pictures import AnyFrame, Frame, Image, cv2, png, scaled_to
from companion.vision.read.enrolling import LabelledPrint, compare_prints, looks_like, select_prints
from companion.vision.read.reader import Expected, Reader, reading_of
from companion.vision.read.seen import NEAREST, SeenDie
from companion.vision.read.seen import likeness as likeness_to_prints
from companion.vision.readings import DiceReading, Rect
from companion.vision.watch.motion import Motion, MotionState
from companion.vision.watch.rolls import is_unmoved

_UNITS: Final = {
    CheckKey.SIZE: "px",
    CheckKey.TILT: "degrees",
    CheckKey.LIGHT: "percent",
    CheckKey.GLARE: "percent",
}
_WIDTH: Final = 320
"""The width of the picture in which light, glare and the tray are looked for."""
_COMFORT: Final = 1.3
"""A die's size is good from this many times `smallest_px`."""
_SHARP: Final = 1.6
"""Sharpness is good from this many times `blurred`."""
_NEAR: Final = 0.25
"""The side of a die, in heights of the picture, above which the camera is too near."""
_TILT_GOOD, _TILT_MOST = 30.0, 45.0
"""Degrees."""
_DARK, _DIM, _BRIGHT = 30.0, 55.0, 225.0
"""The mean grey level of the picture: too dark, dim, too bright."""
_WHITE: Final = 250
"""The level of all three colours from which a pixel is overexposed."""
_GLARE, _GLARE_MOST = 0.004, 0.04
"""The overexposed share of the picture beside the dice that may hide one, and that is too much."""
_WASHED: Final = 0.03
"""The overexposed share of a die's top above which low contrast means glare."""
_TRAY: Final = 0.2
"""The smallest share of the picture that a tray fills."""
_RIM: Final = 0.01
"""The distance from the picture's edge, in shares of it, below which a tray may be cut off."""
_TRAY_CORNERS: Final = 4
_CORNER_TOLERANCE: Final = 0.08
"""How far a contour may stray from its four-sided outline, as a share of its length."""


def check_picture(
    image: Image,
    dice: Sequence[SeenDie],
    corners: Corners | None,
    limits: DieLimits,
    *,
    drawn: bool = False,
) -> tuple[Check, ...]:
    """Check a picture (H, W, 3) BGR with the dice seen in it; `corners`: the tray's, `drawn` by
    the host or found."""
    return (
        _light(image, dice, limits),
        _glare(image, dice, limits),
        _size(image, dice, limits),
        _tilt(dice),
        _sharpness(dice, limits),
        _tray(corners, drawn=drawn),
    )


def find_tray(image: Image) -> Corners | None:
    """Find the corners of the largest four-sided outline in the picture; None if there is
    none as large as a tray."""
    small = scaled_to(image, _WIDTH)
    # Tray and table may differ in one colour only, so the edges are those of any colour.
    edges = cv2.dilate(
        cv2.Canny(cv2.GaussianBlur(small, (5, 5), 0), 30, 90), np.ones((5, 5), np.uint8)
    )
    contours, _ = cv2.findContours(edges, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    height, width = edges.shape
    best, most = None, _TRAY * width * height
    for contour in contours:
        hull = cv2.convexHull(contour)
        corners = cv2.approxPolyDP(hull, _CORNER_TOLERANCE * cv2.arcLength(hull, True), True)
        area = float(cv2.contourArea(corners))
        if len(corners) == _TRAY_CORNERS and area > most:
            best, most = corners.reshape(4, 2) / np.array([width, height], np.float64), area
    return None if best is None else _in_order(best)


def tilt_of(quads: npt.NDArray[np.float32]) -> float:
    """Return the angle, degrees, at which the camera looks at the plane of tops (N, 4, 2) px; 0
    from straight above.

    Squares of one plane are foreshortened alike, however each is turned in it. So the mean of
    their second moments shows the tilt, and the errors of single corners cancel out.
    """
    across = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
    maps = np.stack([across, down], axis=2).astype(np.float64)
    moments = maps @ maps.transpose(0, 2, 1)
    moments /= np.trace(moments, axis1=1, axis2=2)[:, None, None]
    short, long = np.linalg.eigvalsh(moments.mean(axis=0))
    return float(np.degrees(np.arccos(np.sqrt(max(0.0, short / long)))))


def _size(image: Image, dice: Sequence[SeenDie], limits: DieLimits) -> Check:
    """Whether the dice are large enough to be read and small enough to leave room for a roll."""
    if not dice:
        return _check(CheckKey.SIZE, 0.0, Grade.WARN, "no_dice")
    typical = float(np.median(sides(np.stack([die.quad for die in dice]))))
    if typical < limits.smallest_px:
        return _check(CheckKey.SIZE, typical, Grade.BAD, "far")
    if typical < _COMFORT * limits.smallest_px:
        return _check(CheckKey.SIZE, typical, Grade.WARN, "far")
    if typical > _NEAR * image.shape[0]:
        return _check(CheckKey.SIZE, typical, Grade.WARN, "near")
    return _check(CheckKey.SIZE, typical)


def _tilt(dice: Sequence[SeenDie]) -> Check:
    """Whether the camera looks down steeply enough; one look along the table hides dice."""
    if not dice:
        return _check(CheckKey.TILT, 0.0, Grade.WARN, "no_dice")
    tilt = tilt_of(np.stack([die.quad for die in dice]))
    if tilt <= _TILT_GOOD:
        return _check(CheckKey.TILT, tilt)
    return _check(CheckKey.TILT, tilt, Grade.WARN if tilt <= _TILT_MOST else Grade.BAD, "steep")


def _light(image: Image, dice: Sequence[SeenDie], limits: DieLimits) -> Check:
    """Whether the picture is neither too dark nor too bright, and the prints stand out."""
    level = float(cv2.cvtColor(scaled_to(image, _WIDTH), cv2.COLOR_BGR2GRAY).mean())
    percent = level / 2.55
    if level < _DARK:
        return _check(CheckKey.LIGHT, percent, Grade.BAD, "dark")
    if level > _BRIGHT:
        return _check(CheckKey.LIGHT, percent, Grade.BAD, "bright")
    is_faint = [die.contrast < limits.dark and die.clipped <= _WASHED for die in dice]
    if is_faint and np.mean(is_faint) > 0.5:
        return _check(CheckKey.LIGHT, percent, Grade.BAD, "dark")
    if level < _DIM:
        return _check(CheckKey.LIGHT, percent, Grade.WARN, "dark")
    return _check(CheckKey.LIGHT, percent)


def _glare(image: Image, dice: Sequence[SeenDie], limits: DieLimits) -> Check:
    """Whether a lamp shines back from the tray, and in which quarter of the picture."""
    small = scaled_to(image, _WIDTH)
    white = np.asarray((small.min(axis=2) >= _WHITE) * 255, np.uint8)
    beside = np.asarray(
        cv2.morphologyEx(white, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8
    )
    scale = small.shape[1] / image.shape[1]
    for die in dice:
        # The body of a light die may be overexposed without any glare.
        cv2.fillConvexPoly(beside, np.rint(die.quad * scale).astype(np.int32), 0)
    share = float(np.count_nonzero(beside)) / beside.size
    washed = [die for die in dice if die.clipped > _WASHED and die.contrast < limits.dark]
    if washed:
        x, y = washed[0].middle()
        place = _quadrant(x / image.shape[1], y / image.shape[0])
        return _check(CheckKey.GLARE, 100 * share, Grade.BAD, "on_die", place)
    if share < _GLARE:
        return _check(CheckKey.GLARE, 100 * share)
    rows, columns = np.nonzero(beside)
    place = _quadrant(
        float(np.median(columns)) / beside.shape[1], float(np.median(rows)) / beside.shape[0]
    )
    verdict = Grade.BAD if share >= _GLARE_MOST else Grade.WARN
    return _check(CheckKey.GLARE, 100 * share, verdict, "glare", place)


def _sharpness(dice: Sequence[SeenDie], limits: DieLimits) -> Check:
    if not dice:
        return _check(CheckKey.SHARP, 0.0, Grade.WARN, "no_dice")
    typical = float(np.median([die.sharpness for die in dice]))
    if typical < limits.blurred:
        return _check(CheckKey.SHARP, typical, Grade.BAD, "blurred")
    if typical < _SHARP * limits.blurred:
        return _check(CheckKey.SHARP, typical, Grade.WARN, "blurred")
    return _check(CheckKey.SHARP, typical)


def _tray(corners: Corners | None, *, drawn: bool) -> Check:
    if corners is None:
        return _check(CheckKey.TRAY, 0.0, Grade.WARN, "not_found")
    if drawn:
        return _check(CheckKey.TRAY, _TRAY_CORNERS, Grade.GOOD, "drawn")
    points = np.asarray(corners)
    is_cut = (points < _RIM).any() or (points > 1 - _RIM).any()
    return _check(CheckKey.TRAY, _TRAY_CORNERS, *((Grade.WARN, "cut") if is_cut else ()))


def _check(
    key: CheckKey,
    value: float,
    verdict: Grade = Grade.GOOD,
    reason: str = "good",
    place: Quadrant | None = None,
) -> Check:
    rounded, unit = round(value, 2), _UNITS.get(key, "")
    return Check(key=key, value=rounded, unit=unit, verdict=verdict, reason=reason, quadrant=place)


def _quadrant(x: float, y: float) -> Quadrant:
    if y < 0.5:
        return Quadrant.TOP_LEFT if x < 0.5 else Quadrant.TOP_RIGHT
    return Quadrant.BOTTOM_LEFT if x < 0.5 else Quadrant.BOTTOM_RIGHT


def _in_order(points: npt.NDArray[np.float64]) -> Corners:
    middle = points.mean(axis=0)
    away = points - middle
    ordered = points[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
    first = int(np.argmin(ordered.sum(axis=1)))
    a, b, c, d = ((float(x), float(y)) for x, y in np.roll(ordered, -first, axis=0))
    return a, b, c, d


_FLAT: Final = 0.25
"""The probability of lying flat below which a die leans, as the networks say: of the flat dice of
the val split one in fifty is below it."""
_GROWN: Final = 1.06
"""The size, in its own, at which a top must not reach another one."""
_ODD: Final = 0.25
"""The cosine by which a die may be less similar to the others than they are to each other."""
_CLEARLY: Final = 0.02
"""How much more, in cosine, a die must resemble the asked face than an earlier one. If no die was
turned, the two are about equal."""


def plain_problem(
    die: SeenDie, others: Sequence[SeenDie], size: tuple[int, int], limits: DieLimits
) -> ViewProblem | None:
    """Return why a die's view is no good print, in a picture of `size` (width, height), whatever
    it shows; None if it is good."""
    low, high = die.quad.min(axis=0), die.quad.max(axis=0)
    if (low < 0).any() or (high > size).any():
        return ViewProblem.CUT
    if float(sides(die.quad[None])[0]) < limits.smallest_px:
        return ViewProblem.SMALL
    if any(_touch(die, other) for other in others if other is not die):
        return ViewProblem.TOUCHING
    if die.flat < _FLAT:
        return ViewProblem.LEANING
    if die.contrast < limits.dark:
        return ViewProblem.GLARE if die.clipped > _WASHED else ViewProblem.DARK
    return ViewProblem.BLURRED if die.sharpness < limits.blurred else None


def face_problem(
    die: SeenDie, mine: Sequence[SeenDie], shown: Mapping[Face, Sequence[SeenDie]]
) -> ViewProblem | None:
    """Return why a die may not show the face that is asked for, if it may not. `mine`: other dice
    that should show it; `shown`: those of earlier faces: if it resembles them more, it was not
    turned yet."""
    if len(mine) < NEAREST:
        return None
    own = likeness(die, mine)
    if any(
        len(dice) >= NEAREST and likeness(die, dice) > own - _CLEARLY for dice in shown.values()
    ):
        return ViewProblem.KNOWN
    typical = float(np.median([likeness(one, [d for d in mine if d is not one]) for one in mine]))
    return ViewProblem.OTHER if own < typical - _ODD else None


def likeness(die: SeenDie, others: Sequence[SeenDie]) -> float:
    """Return how alike a die and the others are (`seen.likeness`)."""
    them = np.stack([other.embedding for other in others])
    return float(likeness_to_prints(die.embedding[None], them)[0])


def evaluate_views(views: Sequence[LabelledPrint], faces: Sequence[Face]) -> Result:
    """Compare the views with one another (`enrolling.compare_prints`), and with the reader's
    general knowledge of the faces."""
    compared = compare_prints(views)
    found, mistaken = [], Counter[tuple[Face, Face]]()
    for face in faces:
        mine = [view for view in views if view.face is face]
        one = compared.get(face)
        before = sum(_known_as(view.die, faces) is face for view in mine)
        after = one.right if one else 0
        found.append(HeldOut(face=face, views=len(mine), before=before, after=after))
        taken = (*one.taken_for, *(looks_like(view, compared) for view in one.odd)) if one else ()
        for other in taken:
            if other is not face:
                first, second = sorted((face, other), key=list(faces).index)
                mistaken[first, second] += 1
    low, high = wilson(sum(one.after for one in found), sum(one.views for one in found))
    pairs = tuple(pair for pair, _ in mistaken.most_common())
    return Result(faces=tuple(found), low=low, high=high, alike=pairs)


def _known_as(die: SeenDie, faces: Sequence[Face]) -> Face:
    return max(faces, key=lambda face: die.faces.get(face, 0.0))


def _touch(die: SeenDie, other: SeenDie) -> bool:
    area, _ = cv2.intersectConvexConvex(resized(die.quad, _GROWN), resized(other.quad, _GROWN))
    return float(area) > 0


LOOK_S: Final = 0.5
"""The interval of looks, s."""
REST_S: Final = 0.6
"""How long the dice must rest before their views count, s."""
_LOOKS: Final = 3
"""Looks at a test roll."""
_MORE: Final = 4
"""Further views of a face that is shown again."""

Prints = dict[Face, tuple[bytes, ...]]
"""By face: PNGs of its prints."""


class SetupSession:
    """The set-up of one box for one game."""

    def __init__(
        self,
        reader: Reader,
        rules: DiceRules,
        with_prints: Callable[[Prints], Reader],
        drawn: Corners | None = None,
    ) -> None:
        """`with_prints` makes the reader of the test roll; `drawn`: the tray's corners, if the
        host has drawn them."""
        self._reader, self._rules, self._with_prints = reader, rules, with_prints
        self._drawn = drawn
        self._motion = Motion()
        self._stage = Stage.PLACE
        self._face: Face | None = None
        self._needs = dict.fromkeys(rules.faces, NEED)
        self._views: list[LabelledPrint] = []
        self._rest = 0
        self._certain: tuple[SeenDie, ...] = ()
        """The finds of the newest look that are certainly dice."""
        self._lying: tuple[SeenDie, ...] = ()
        """The dice of the last rest that counted."""
        self._most = 0
        self._waits = False
        self._looks: list[tuple[SeenDie, ...]] = []
        self._tester: Reader | None = None
        self._shown: tuple[DieView, ...] = ()
        self._result: Result | None = None
        self._roll: TestRoll | None = None
        self._began: float | None = None
        self._looked_at = float("-inf")
        self._state = MotionState.UNKNOWN
        self._last: tuple[Frame, tuple[SeenDie, ...]] | None = None

    @property
    def is_dark(self) -> bool:
        """Whether the last picture was black."""
        return self._state is MotionState.DARK

    @property
    def is_blank(self) -> bool:
        """Whether the last picture was black, or white."""
        return self._state in {MotionState.DARK, MotionState.BRIGHT}

    def prints(self) -> Prints:
        """Return the prints of each face that has FEWEST of them, without those that are more like
        another face."""
        found = compare_prints(self._views)
        return {face: select_prints(one) for face, one in found.items() if len(one.kept) >= FEWEST}

    def use(self, reader: Reader, drawn: Corners | None) -> None:
        """Use a reader for another tray from now on."""
        self._reader, self._drawn = reader, drawn

    def place(self) -> None:
        """Go back to the camera's place."""
        self._enter(Stage.PLACE)

    def show(self, face: Face | None) -> None:
        """Ask for this face: for NEED views, or _MORE further ones. None: the first that lacks
        views. A face that is not the game's is ignored."""
        if face is None:
            self._next_face(None)
        elif face in self._needs:
            good = self._good(face)
            self._needs[face] = NEED if good < NEED else good + _MORE
            self._ask(face)

    def skip(self) -> None:
        """Leave the current face: for good if it has FEWEST views, else for later."""
        if self._face is None:
            return
        good = self._good(self._face)
        if good >= FEWEST:
            self._needs[self._face] = min(good, self._needs[self._face])
        self._next_face(self._face)

    def undo(self) -> None:
        """Drop the views of the last rest, and ask for their face again."""
        if self._views:
            last = self._views[-1]
            self._views = [view for view in self._views if view.origin != last.origin]
            self._needs[last.face] = max(NEED, self._needs[last.face])
            self._ask(last.face)

    def test(self) -> None:
        """Read the next rolls with the new prints."""
        self._tester = self._with_prints(self.prints())
        self._enter(Stage.TEST)
        self._roll = None

    def lying(self, expected: Expected) -> DiceReading | None:
        """Read the dice of the last look; None before the first."""
        if self._last is None:
            return None
        frame, look = self._last
        verdict = self._reader.decide([look], expected, frame.image)
        return reading_of(verdict, expected.rules.game, frame)

    def see(self, shot: AnyFrame) -> SetupSeen | None:
        """Take in a frame, given all frames before it; None if it was not looked at."""
        motion = self._motion.see(shot)
        now = shot.captured_at
        if self._began is None or now < self._began:
            self._began = now
        self._state = motion.state
        is_resting = motion.state is MotionState.STILL
        if not is_resting:
            self._waits = False
            self._looks.clear()
        is_due = not 0 <= now - self._looked_at < LOOK_S
        if not is_due:
            return None
        self._looked_at = now
        frame = shot.decode()
        look = self._reader.look(frame.image)
        self._last = frame, look
        dice, self._certain = self._reader.dice_of(look, frame.image)
        counts = is_resting and motion.still_s >= REST_S and not self._waits
        if self._stage is Stage.FACES:
            self._look_at_face(frame, dice, counts=counts)
        else:
            self._shown = self._views_of(frame, dice, [None] * len(dice))
        if self._stage is Stage.TEST and counts:
            self._read_test(frame)
        return self._seen(frame, dice, now)

    def _look_at_face(self, frame: Frame, dice: tuple[SeenDie, ...], *, counts: bool) -> None:
        """Show which dice are good views of the current face, and count them at a rest."""
        assert self._face is not None
        size = (frame.image.shape[1], frame.image.shape[0])
        limits = self._reader.contract.die_limits
        problems = [plain_problem(die, dice, size, limits) for die in dice]
        fresh = [
            n
            for n, die in enumerate(dice)
            if problems[n] is None and die in self._certain and not is_unmoved(die, self._lying)
        ]
        mine = [view.die for view in self._views if view.face is self._face]
        shown = {
            face: [view.die for view in self._views if view.face is face]
            for face in self._rules.faces
            if face is not self._face
        }
        for n in fresh:
            others = [dice[other] for other in fresh if other != n]
            problems[n] = face_problem(dice[n], [*mine, *others], shown)
        good = [dice[n] for n in fresh if problems[n] is None]
        self._shown = self._views_of(frame, dice, problems)
        if counts and good:
            self._count(frame, good, dice)

    def _count(self, frame: Frame, good: Sequence[SeenDie], dice: tuple[SeenDie, ...]) -> None:
        """Keep these views of the current face; ask for the next one if there are enough."""
        assert self._face is not None
        self._rest += 1
        cut = self._reader.prints(frame.image, tuple(good))
        self._views += [
            LabelledPrint(self._face, die, png(one), self._rest)
            for die, one in zip(good, cut, strict=True)
        ]
        self._lying, self._most = dice, max(self._most, len(self._certain))
        boxes = np.array([die.box() for die in dice], np.float32) / frame.image.shape[1]
        self._motion.accept(np.asarray(boxes, np.float32))
        self._waits = True
        if self._good(self._face) >= self._needs[self._face]:
            self._next_face(self._face)

    def _next_face(self, current: Face | None) -> None:
        """Ask for the next face that lacks views; with none left, work out the result."""
        faces = self._rules.faces
        start = 0 if current is None else faces.index(current) + 1
        lacking = [
            face
            for face in (*faces[start:], *faces[:start])
            if self._good(face) < self._needs[face]
        ]
        if lacking:
            self._ask(lacking[0])
        else:
            self._result = evaluate_views(self._views, faces)
            self._enter(Stage.RESULT)

    def _ask(self, face: Face) -> None:
        self._face = face
        self._enter(Stage.FACES)

    def _enter(self, stage: Stage) -> None:
        """Begin a stage. Dice must be moved before they count, unless there are no views yet."""
        self._stage = stage
        self._waits = bool(self._views)
        self._looks.clear()
        if stage is not Stage.FACES:
            self._face = None

    def _read_test(self, frame: Frame) -> None:
        assert self._tester is not None
        self._looks.append(self._tester.look(frame.image))
        if len(self._looks) < _LOOKS:
            return
        count = self._most if self._rules.allow(self._most, None) else None
        expected = Expected(self._rules, count)
        verdict = self._tester.decide(self._looks, expected, frame.image)
        height, width = frame.image.shape[:2]
        self._roll = TestRoll(
            dice=tuple(
                TestDie(face=die.face, area=_area(die.box, width, height), problem=die.problem)
                for die in verdict.dice
            ),
            problems=verdict.problems,
            sure=verdict.sure,
        )
        self._waits = True

    def _views_of(
        self, frame: Frame, dice: Sequence[SeenDie], problems: Sequence[ViewProblem | None]
    ) -> tuple[DieView, ...]:
        height, width = frame.image.shape[:2]
        return tuple(
            DieView(area=_area(die.box(), width, height), problem=problem)
            for die, problem in zip(dice, problems, strict=True)
        )

    def _seen(self, frame: Frame, dice: tuple[SeenDie, ...], now: float) -> SetupSeen:
        assert self._began is not None
        corners = self._drawn or find_tray(frame.image)
        checks = check_picture(
            frame.image,
            self._certain,
            corners,
            self._reader.contract.die_limits,
            drawn=self._drawn is not None,
        )
        return SetupSeen(
            stage=self._stage,
            checks=checks,
            corners=corners,
            is_drawn=self._drawn is not None,
            size=(frame.image.shape[1], frame.image.shape[0]),
            face=self._face,
            views=tuple(
                FaceViews(face=face, good=self._good(face), need=self._needs[face])
                for face in self._rules.faces
            ),
            dice=self._shown,
            is_waiting=self._waits,
            result=self._result,
            roll=self._roll,
            seconds=round(now - self._began, 1),
        )

    def _good(self, face: Face) -> int:
        return sum(view.face is face for view in self._views)


def _area(box: Rect, width: int, height: int) -> Area:
    x, y, across, down = box
    return x / width, y / height, across / width, down / height

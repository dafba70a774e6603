"""A camera in a process of its own: faults, photos, and what later processes know."""

from __future__ import annotations

import os
import queue
import resource
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import companion
from companion.engine import RULESETS, Face
from companion.vision.box import (
    MOST_ROLLS,
    DiceSet,
    Lesson,
    Profile,
    encode_box,
    rules_of,
)
from companion.vision.camera import Camera
from companion.vision.messages import (
    BoxRecognised,
    CameraChanged,
    CameraSetup,
    DiceRead,
    KeptBoxes,
    Report,
    SetupStep,
    TrayChanged,
)
from companion.vision.pictures import Image, cv2, jpeg, png
from companion.vision.read.reader import Expected, Reader, photo_frame, read_photo
from companion.vision.read.seen import FEWEST
from companion.vision.readings import (
    CameraState,
    PhotoError,
    ReaderError,
    ReadingProblem,
    TrayState,
)
from companion.vision.sources.kinds import FrameSource, VideoFile
from tests.readers import Readers
from tests.vision.fakes import (
    HEIGHT,
    WIDTH,
    FatalPhoto,
    Scripted,
    SlowPhoto,
    signal_event,
    tray,
    wait_for,
)
from tests.vision.showing import Directed
from tests.vision.test_sources import recorded
from tests.waiting import WITHIN_S, Clock, patient, wait_until

GAME = next(iter(RULESETS))
SILENCE_S = 0.05
CORNER = ((0.0, 0.0), (0.2, 0.0), (0.2, 0.2), (0.0, 0.2))
"""A tray beside the dice."""


class Reports:
    """Collects the reports of a camera, in order; its clock stands still."""

    def __init__(self) -> None:
        self.clock = Clock()
        self._reports: queue.SimpleQueue[Report] = queue.SimpleQueue()

    def __call__(self, report: Report) -> None:
        self._reports.put(report)

    def next(self, wanted: Callable[[Report], bool]) -> Report:
        """Wait for the next wanted report; those before it are skipped."""
        while True:
            report = self._reports.get(timeout=WITHIN_S)
            if wanted(report):
                return report

    def camera(self, state: CameraState) -> CameraChanged:
        """Wait for the next report of that state of the camera."""
        report = self.next(lambda r: isinstance(r, CameraChanged) and r.state is state)
        assert isinstance(report, CameraChanged)
        return report

    def tray(self, state: TrayState) -> TrayChanged:
        """Wait for the next report of that state of the tray."""
        report = self.next(lambda r: isinstance(r, TrayChanged) and r.tray.state is state)
        assert isinstance(report, TrayChanged)
        return report

    def states(self) -> list[CameraState]:
        """The reported states of the camera since the last call."""
        reports = [self._reports.get() for _ in range(self._reports.qsize())]
        return [report.state for report in reports if isinstance(report, CameraChanged)]

    def read_as_new(self) -> list[DiceRead]:
        """The new rolls that were reported since the last call."""
        reports = [self._reports.get() for _ in range(self._reports.qsize())]
        return [report for report in reports if isinstance(report, DiceRead) and report.is_new]

    def is_lost(self) -> bool:
        """Whether the camera was reported lost since the last call."""
        return CameraState.LOST in self.states()

    def lost_in_time(self) -> CameraChanged:
        """Wait for the report that the camera is lost; a second passes in each silence."""
        while True:
            try:
                report = self._reports.get(timeout=SILENCE_S)
            except queue.Empty:
                self.clock.move(1)
                assert self.clock.now < WITHIN_S
                continue
            if isinstance(report, CameraChanged) and report.state is CameraState.LOST:
                return report


@contextmanager
def camera(
    source: FrameSource | None,
    restart_s: float = 0.01,
    photo_s: float = WITHIN_S,
    profile: Profile | None = None,
    boxes: KeptBoxes = (),
) -> Iterator[tuple[Camera, Reports]]:
    """Start a camera and collect its reports. `restart_s`: the pause before a restart; `photo_s`:
    the time limit for a photo.
    """
    reports = Reports()
    timeouts = replace(
        patient(reports.clock), restart_s=restart_s, restart_at_most_s=restart_s, photo_s=photo_s
    )
    setup = CameraSetup(source, rules_of(GAME), profile=profile or Profile(), boxes=boxes)
    with closing(Camera(setup, reports, timeouts)) as opened:
        opened.start()
        yield opened, reports


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., Scripted]:
    def made(*script: str) -> Scripted:
        source = Scripted(str(tmp_path), script)
        source.node.touch()
        return source

    return made


def test_a_camera_that_goes_black_is_started_again(scripted: Callable[..., Scripted]) -> None:
    source = scripted("darkened", "good")
    with camera(source) as (_, reports):
        reports.camera(CameraState.OK)
        reports.tray(TrayState.EMPTY)
        source.now()
        assert reports.tray(TrayState.PROBLEM).tray.problem is ReadingProblem.TOO_DARK
        lost = reports.lost_in_time()
        assert lost.problem is not None
        assert lost.problem.key == "error.camera.black"
        reports.camera(CameraState.OK)
        reports.tray(TrayState.EMPTY)


def test_a_process_that_dies_is_a_problem_of_the_reader_and_comes_back(
    scripted: Callable[..., Scripted],
) -> None:
    source = scripted("killed", "good")
    with camera(source) as (_, reports):
        reports.camera(CameraState.OK)
        source.now()
        lost = reports.camera(CameraState.LOST)
        assert isinstance(lost.problem, ReaderError)
        assert reports.tray(TrayState.PROBLEM).tray.problem is ReadingProblem.READER
        reports.camera(CameraState.OK)


def test_a_camera_that_is_unplugged_comes_back_when_it_is_plugged_in(
    scripted: Callable[..., Scripted],
) -> None:
    source = scripted("unplugged", "good")
    with camera(source) as (opened, reports):
        reports.camera(CameraState.OK)
        source.now()
        lost = reports.camera(CameraState.LOST)
        assert lost.problem is not None
        assert lost.problem.key == "error.camera.lost"
        photo = opened.read_photo(jpeg(tray()))
        assert photo.result(WITHIN_S).dice == (), "a photo is read without a camera"
        assert opened.state is CameraState.LOST
        source.node.touch()
        reports.camera(CameraState.OK)


def test_another_source_is_read_once_it_is_chosen_and_none_ends_reading(
    scripted: Callable[..., Scripted],
) -> None:
    with camera(None) as (opened, reports):
        assert opened.state is CameraState.NONE
        opened.use_source(scripted("black"))
        reports.camera(CameraState.STARTING)
        assert reports.camera(CameraState.OK).size == (WIDTH, HEIGHT)
        reports.tray(TrayState.PROBLEM)
        opened.use_source(scripted("good", "good"))
        reports.camera(CameraState.OK)
        reports.tray(TrayState.EMPTY)
        opened.use_source(None)
        reports.camera(CameraState.NONE)
        assert opened.state is CameraState.NONE
        assert opened.tray.state is TrayState.EMPTY


def test_a_set_up_begun_before_the_process_runs_is_shown(scripted: Callable[..., Scripted]) -> None:
    setup = CameraSetup(scripted("good", "good"), rules_of(GAME))
    with closing(Camera(setup, Reports(), patient())) as opened:
        opened.take_setup_step(SetupStep.BEGIN)
        opened.start()
        wait_until(lambda: opened.setup_state is not None and opened.setup_state.seen is not None)


def test_a_recording_that_has_ended_stays_ended_and_photos_are_still_read(tmp_path: Path) -> None:
    with camera(VideoFile(str(recorded(tmp_path / "clip.avi", "MJPG")))) as (opened, reports):
        reports.camera(CameraState.OK)
        reports.camera(CameraState.ENDED)
        assert opened.read_photo(jpeg(tray())).result(WITHIN_S).dice == ()
        assert opened.state is CameraState.ENDED


def test_without_a_camera_photos_are_read_and_bad_ones_refused() -> None:
    with camera(None) as (opened, _):
        assert opened.state is CameraState.NONE
        opened.expect(6)
        good = opened.read_photo(jpeg(tray()))
        bad = opened.read_photo(b"\0\0\0\x18ftypheic" + bytes(40))
        reading = good.result(WITHIN_S)
        assert (reading.game, reading.size, reading.sure) == (GAME, (WIDTH, HEIGHT), False)
        assert ReadingProblem.COUNT in reading.problems
        assert reading.picture.startswith(b"\xff\xd8")
        with pytest.raises(PhotoError) as refusal:
            bad.result(WITHIN_S)
        assert refusal.value.key == "error.photo.heic"
        assert opened.state is CameraState.NONE


def test_a_reader_that_cannot_be_started_is_started_again() -> None:
    with camera(None) as (opened, _):
        with no_descriptors(), pytest.raises(ReaderError) as refusal:
            opened.read_photo(jpeg(tray())).result(WITHIN_S)
        assert refusal.value.key == "error.camera.reader_died"
        assert opened.read_photo(jpeg(tray())).result(WITHIN_S).game == GAME


@contextmanager
def no_descriptors() -> Iterator[None]:
    """Let this process open nothing more."""
    was, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (was, most))


def faces_and_prints(reader: Reader, image: Image) -> tuple[tuple[Face, ...], tuple[bytes, ...]]:
    """Look at dice: what they show, and the print of each."""
    look = reader.look(image)
    shown = tuple(max(die.faces, key=lambda face: die.faces[face]) for die in look)
    return shown, tuple(png(one) for one in reader.prints(image, look))


def test_a_photo_is_read_by_the_prints_of_the_profile_and_not_within_its_tray(
    reader: Reader, lying: Image
) -> None:
    shown, prints = faces_and_prints(reader, lying)
    others_faces = (*shown[1:], shown[0])
    found = []
    for faces in (shown, others_faces):
        dice: dict[Face, tuple[bytes, ...]] = {
            face: (print_,) * FEWEST for face, print_ in zip(faces, prints, strict=True)
        }
        with camera(None, profile=Profile(CORNER, {"new-york": dice})) as (opened, _):
            opened.play("new-york")
            found.append(opened.read_photo(jpeg(lying)).result(WITHIN_S))
    own, others = found
    assert sorted(die.face or "" for die in own.dice) == sorted(shown)
    assert (own.sure, others.sure) == (True, True)
    turned = dict(zip(shown, others_faces, strict=True))
    assert [die.face for die in others.dice] == [turned[die.face] for die in own.dice if die.face]


def test_what_the_table_has_taught_is_known_to_later_processes_too(
    reader: Reader, lying: Image, scripted: Callable[..., Scripted]
) -> None:
    shown, prints = faces_and_prints(reader, lying)
    lessons = [Lesson("new-york", prints, shown, f"g1-{n}") for n in range(FEWEST)]
    photo, expected = jpeg(lying), Expected(rules_of("new-york"))
    unlike = read_photo(photo_frame(photo, 1), reader, expected).dice
    taught = read_photo(photo_frame(photo, 1), Reader.shipped(None, lessons), expected).dice
    assert taught != unlike
    source = scripted("killed", "good")
    with camera(source) as (opened, reports):
        reports.camera(CameraState.OK)
        opened.play("new-york")
        assert opened.read_photo(photo).result(WITHIN_S).dice == unlike
        for lesson in lessons:
            opened.learn(lesson)
        wait_until(lambda: opened.read_photo(photo).result(WITHIN_S).dice == taught)
        source.now()
        reports.camera(CameraState.LOST)
        reports.camera(CameraState.OK)
        wait_until(lambda: opened.read_photo(photo).result(WITHIN_S).dice == taught)


def test_dice_of_another_box_are_recognised_and_then_read_as_that_one(
    reader: Reader, lying: Image, tmp_path: Path
) -> None:
    shown, prints = faces_and_prints(reader, lying)
    lessons = tuple(Lesson("new-york", prints, shown, f"g1-{n}") for n in range(MOST_ROLLS))
    own = DiceSet("own", "new-york", played=lessons)
    (tmp_path / "own.json").write_bytes(encode_box(own))
    boxes = (("own", tmp_path / "own.json"), ("gone", tmp_path / "gone.json"))
    faces = rules_of("new-york").faces
    others = [png(np.roll(cv2.resize(lying, (48, 48)), 8 * n, 0)) for n in range(len(faces))]
    other = {face: (one,) * FEWEST for face, one in zip(faces, others, strict=True)}
    source = Directed(str(tmp_path / "scenes"))
    source.add("before", np.roll(lying, 60, axis=1))
    source.add("flying", *(np.roll(lying, 12 * n, axis=1) for n in range(3, 0, -1)))
    source.add("lying", lying)
    source.show("before")
    profile = Profile(dice={"new-york": other})
    with camera(source, profile=profile, boxes=boxes) as (opened, reports):
        opened.play("new-york")
        opened.expect(len(shown))
        reports.tray(TrayState.UNSURE)
        source.show("flying")
        reports.tray(TrayState.ROLLING)
        source.show("lying")
        wait_until(lambda: opened.recognised is not None)
        assert opened.recognised in [BoxRecognised("new-york", box) for box in ("", "own")]
        assert not reports.read_as_new()
        opened.use(profile, lessons)
        opened.read_now()
        read = reports.next(lambda r: isinstance(r, DiceRead) and r.is_new)
        assert isinstance(read, DiceRead)
        taught = Reader.shipped(profile, lessons)
        wanted = read_photo(photo_frame(jpeg(lying), 1), taught, Expected(rules_of("new-york")))
        assert all(die.face is not None for die in wanted.dice)
        assert [die.face for die in read.reading.dice] == [die.face for die in wanted.dice]
        opened.use(profile, lessons)
        reports.tray(TrayState.SETTLING)
        after = reports.next(lambda _: True)
        assert not (isinstance(after, DiceRead) and after.is_new), "they were read once"


def test_a_photo_that_nobody_will_read_any_more_is_not_waited_for() -> None:
    with camera(None) as (opened, _):
        opened.close()
        with pytest.raises(ReaderError):
            opened.read_photo(jpeg(tray())).result(WITHIN_S)


def test_a_camera_goes_on_after_a_photo_that_was_read_for_long(
    scripted: Callable[..., Scripted], tmp_path: Path
) -> None:
    photo, readers = SlowPhoto.kept_in(tmp_path), Readers()
    with camera(scripted("black")) as (opened, reports):
        reports.tray(TrayState.PROBLEM)
        before = readers.only()
        answer = opened.read_photo(photo)
        wait_for(photo.begun)
        later = opened.read_photo(jpeg(tray()))
        assert not answer.done()
        signal_event(photo.goes_on)
        assert answer.result(WITHIN_S).size == later.result(WITHIN_S).size == (WIDTH, HEIGHT)
        assert answer.result().frame != later.result().frame
        kept = opened.footage(photo=True).result(WITHIN_S)
        assert kept is not None
        assert kept.frame == later.result().frame
        assert readers.only() == before


@pytest.mark.parametrize("word", ["good", None])
def test_a_photo_that_takes_too_long_is_refused_for_good_and_others_are_read(
    scripted: Callable[..., Scripted], tmp_path: Path, word: str | None
) -> None:
    photo = SlowPhoto.kept_in(tmp_path)
    with camera(None if word is None else scripted(word)) as (opened, reports):
        answer = opened.read_photo(photo)
        wait_for(photo.begun)
        waiting = opened.read_photo(jpeg(tray()))
        while not wait(
            [answer], SILENCE_S
        ).done:  # its time runs from the message that it has begun
            reports.clock.move(patient().photo_read_s + 1)
        for refused in (answer, opened.read_photo(bytes(photo))):
            with pytest.raises(PhotoError) as refusal:
                refused.result(WITHIN_S)
            assert refusal.value.key == "error.photo.fatal"
        assert waiting.result(WITHIN_S).dice == ()


@pytest.mark.parametrize("word", ["good", None])
def test_pictures_that_end_their_reader_are_refused_and_the_camera_comes_back(
    scripted: Callable[..., Scripted], word: str | None
) -> None:
    with camera(None if word is None else scripted(word)) as (opened, reports):
        if word is not None:
            reports.camera(CameraState.OK)
        bombs = [FatalPhoto(b"%d" % n) for n in range(4)]
        answers = [opened.read_photo(bomb) for bomb in (*bombs, *bombs)]
        for answer in answers:
            refused = answer.exception(WITHIN_S)
            assert isinstance(refused, PhotoError)
            assert refused.key == "error.photo.fatal"
        again = opened.read_photo(bytes(bombs[0]))
        assert again.done(), "refused without being looked at"
        assert opened.read_photo(jpeg(tray())).result(WITHIN_S).dice == ()
        if word is None:
            assert reports.states() == []
        else:
            reports.camera(CameraState.LOST)
            reports.camera(CameraState.OK)


def test_a_reader_without_its_networks_says_so_and_a_photo_learns_it_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: Callable[..., Scripted]
) -> None:
    (tmp_path / "companion").symlink_to(Path(companion.__file__).parent)  # no models beside it
    monkeypatch.syspath_prepend(tmp_path)
    with camera(scripted("good"), restart_s=10 * WITHIN_S) as (opened, reports):
        lost = reports.camera(CameraState.LOST)
        assert isinstance(lost.problem, ReaderError)
        assert lost.problem.key == "error.reader.missing"
        assert reports.tray(TrayState.PROBLEM).tray.problem is ReadingProblem.READER
        with pytest.raises(ReaderError) as refusal:
            opened.read_photo(jpeg(tray())).result(WITHIN_S)
        assert refusal.value.key == "error.reader.missing"


def seen_again(reports: Reports) -> None:
    """Wait until the camera has been opened again."""
    reports.camera(CameraState.STARTING)
    reports.camera(CameraState.OK)


def test_a_camera_is_opened_again_by_another_process_without_being_lost(
    scripted: Callable[..., Scripted],
) -> None:
    readers = Readers()
    with camera(scripted("good", "good")) as (opened, reports):
        reports.camera(CameraState.OK)
        before = readers.only()
        opened.accept_scene(reopen=True)
        seen_again(reports)
        assert readers.only() != before
        assert opened.state is CameraState.OK
        assert not reports.is_lost()

"""The set-up in the camera's process: takes the host's steps, and sends what it sees.

What is assessed and counted: `companion.vision.setup`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from msgspec.structs import replace

from companion.vision.box.profile import Profile
from companion.vision.box.rules import DiceRules
from companion.vision.box.tray import corners_of
from companion.vision.opencv import cv2
from companion.vision.pictures.decoding import Image
from companion.vision.pictures.frames import AnyFrame
from companion.vision.process.messages import (
    ChildMessage,
    SetUp,
    SetupLook,
    SetupPicture,
    SetupPrints,
    SetupStep,
)
from companion.vision.read.reader import Reader
from companion.vision.setup.session import Prints, SetupSession
from companion.vision.setup.values import Corners, Stage

_LONGEST: Final = 640
"""The longest side of a picture for the phone, px."""
_LARGEST: Final = 96 << 10
"""The most bytes of such a picture."""
_QUALITIES: Final = (70, 45, 20)


class SettingUp:
    """At most one set-up at a time."""

    def __init__(self, send: Callable[[ChildMessage], None]) -> None:
        self._send = send
        self._session: SetupSession | None = None
        self._is_picture_due = False
        self._has_sent_prints = False

    @property
    def session(self) -> SetupSession | None:
        """The running set-up."""
        return self._session

    def take(self, command: SetUp, reader: Reader, rules: DiceRules, profile: Profile) -> None:
        """Take a step of the host. VisionError where the new prints are no pictures."""
        session = self._session
        if command.step is SetupStep.BEGIN:
            self._begin(reader, rules, profile)
        elif session is not None:
            match command.step:
                case SetupStep.PLACE:
                    session.place()
                case SetupStep.SHOW:
                    session.show(command.face)
                case SetupStep.SKIP:
                    session.skip()
                case SetupStep.UNDO:
                    session.undo()
                case SetupStep.TEST:
                    session.test()
                case SetupStep.END:
                    self._session = None

    def use(self, reader: Reader, profile: Profile) -> None:
        """Go on with another tray or other prints."""
        if self._session is not None:
            self._session.use(reader, _drawn(profile))

    def request_picture(self) -> None:
        """Send the next picture."""
        self._is_picture_due = True

    def see(self, shot: AnyFrame) -> None:
        """Take in a frame; call only while a set-up runs."""
        assert self._session is not None
        if self._is_picture_due:
            self._is_picture_due = False
            self._send(SetupPicture(small_jpeg(shot.decode().image)))
        seen = self._session.see(shot)
        if seen is None:
            return
        if seen.stage is not Stage.RESULT:
            self._has_sent_prints &= seen.stage is Stage.TEST
        elif not self._has_sent_prints:
            self._has_sent_prints = True
            self._send(SetupPrints(self._session.prints()))
        self._send(SetupLook(seen))

    def _begin(self, reader: Reader, rules: DiceRules, profile: Profile) -> None:
        def with_prints(prints: Prints) -> Reader:
            return Reader.shipped(replace(profile, dice={rules.game: prints}))

        self._session = SetupSession(reader, rules, with_prints, _drawn(profile))
        self._has_sent_prints = False


def small_jpeg(image: Image) -> bytes:
    """Encode a picture (H, W, 3) as a JPEG of at most _LONGEST px and _LARGEST bytes."""
    scale = min(1.0, _LONGEST / max(image.shape[:2]))
    size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    encoded = b""
    for quality in _QUALITIES:
        encoded = np.asarray(
            cv2.imencode(".jpg", small, (cv2.IMWRITE_JPEG_QUALITY, quality))[1]
        ).tobytes()
        if len(encoded) <= _LARGEST:
            break
    return encoded


def _drawn(profile: Profile) -> Corners | None:
    return corners_of(profile.sheet) if profile.sheet is not None else None

"""The set-up that a host makes on the phone: steps, what the camera's process saw, the new box."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from companion.engine import RULESETS
from companion.service import wire_pages
from companion.service.dice.shelf import BoxShelf
from companion.service.dice.tray import TrayController
from companion.service.requests import BoxAct, BoxRequest, SetupAct, SetupRequest
from companion.table import RefusedError
from companion.vision.box import DiceSet, Print, Profile, check_tray, rules_of
from companion.vision.messages import FEWEST, SetupState, SetupStep, worst
from companion.vision.readings import CameraState, TrayState

PICTURE_S: Final = 0.2
"""The least time between two pictures."""
OLD_S: Final = 3.0
"""A picture asked for so long ago may show what is gone."""
ABANDONED_S: Final = 30.0
"""A set-up at which no phone has looked for so long ends, so that rolls are read again."""


class DiceSetup:
    """The set-up of one table's camera and dice. Thread-safe."""

    def __init__(
        self,
        tray: TrayController,
        shelf: BoxShelf,
        base: Profile,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`base` is the profile that the service was started with."""
        self._tray, self._camera = tray, tray.camera
        self._shelf, self._base = shelf, base
        self._now = clock
        self._lock = threading.RLock()
        """Held while a box is chosen or kept: its rolls must not become another box's."""
        self._looked_at = self._pictured_at = float("-inf")
        self._of = tray.game
        """The game whose dice the set-up is about; the table may choose the other one meanwhile."""
        self._kept_of = self._camera.setup.learned
        """What of play is kept in the boxes."""
        self._strange_game = ""
        """The game whose dice of no box were partly known: they are a box once they are known."""

    def view(self) -> wire_pages.SetupView:
        """Return what the phone shows; a set-up goes on for as long as somebody looks at it."""
        self._looked_at = self._now()
        state = self._camera.setup_state
        seen = state.seen if state is not None else None
        game = self._of if state is not None else self._tray.game
        return wire_pages.SetupView(
            running=state is not None,
            camera=self._camera.state,
            game=game,
            least=FEWEST,
            boxes=self._shelf.kept(),
            worst=worst(seen.checks) if seen is not None else None,
            seen=seen,
            complete=state is not None and set(rules_of(game).faces) <= state.prints.keys(),
        )

    def picture(self) -> bytes | None:
        """Return what the camera saw when somebody last looked, small, and have it look again, five
        times a second. None without a camera, and if nobody has looked for a while."""
        if self._camera.state is not CameraState.OK:
            return None
        with self._lock:
            now = self._now()
            age_s = now - self._pictured_at
            if age_s >= PICTURE_S:
                self._pictured_at = now
        if age_s >= OLD_S:
            self._camera.picture = b""
        if age_s >= PICTURE_S:
            self._camera.request_picture()
        return self._camera.picture or None

    def take(self, request: SetupRequest) -> None:
        """Take a step. RefusedError without a camera, a running set-up or what the step needs,
        VisionError for corners of no tray."""
        self._looked_at = self._now()
        if request.act is SetupAct.BEGIN and self._camera.state is CameraState.NONE:
            raise RefusedError("error.no_camera")
        if request.act is SetupAct.BEGIN:
            self._of = self._tray.game
            self._camera.take_setup_step(SetupStep.BEGIN)
            return
        state = self._camera.setup_state
        if state is None:
            raise RefusedError("error.setup.over", outdated=True)
        match request.act:
            case SetupAct.CORNERS:
                self._draw(request)
            case SetupAct.USE:
                self._use(request, state)
            case _:
                self._camera.take_setup_step(SetupStep[request.act.name], request.face)

    def handle(self, request: BoxRequest) -> None:
        """Choose, put away, rename or delete a box, and read with what is in use then."""
        with self._lock:
            game = self._tray.game
            before = self._shelf.chosen(game)
            match request.act:
                case BoxAct.CHOOSE:
                    self._shelf.choose(request.id)
                case BoxAct.PUT_AWAY:
                    self._shelf.put_away(game)
                case BoxAct.RENAME:
                    if request.name is None:
                        raise RefusedError("error.box.no_name")
                    self._shelf.rename(request.id, request.name)
                case BoxAct.DELETE:
                    self._shelf.delete(request.id)
            if request.act is not BoxAct.RENAME:
                is_same = self._shelf.chosen(game) == before
                self.read_with_boxes(*[game] if is_same else [])

    def bring_back(self, content: bytes) -> None:
        """Keep and use the box of an exported file. VisionError or RefusedError if it is none."""
        with self._lock:
            is_other = self._shelf.add_file(content).game != self._tray.game
            self.read_with_boxes(*[self._tray.game] if is_other else [])

    def export(self, box_id: str) -> bytes | None:
        """Return a box as a file; None if there is none."""
        return self._shelf.content(box_id)

    def in_use(self) -> str | None:
        """Return the name of the box in use for the current game; None if there is none."""
        chosen = None if self._tray.demo else self._shelf.chosen(self._tray.game)
        return chosen.name if chosen is not None else None

    def tick(self) -> None:
        """End a set-up that nobody looks at, use a box that was recognised, keep what play has
        taught. Called every second."""
        with self._lock:
            self._use_recognised()
            self._keep_played()
        is_abandoned = self._now() - self._looked_at > ABANDONED_S
        if is_abandoned and self._camera.setup_state is not None:
            self._camera.take_setup_step(SetupStep.END)

    def _use_recognised(self) -> None:
        """Use the box whose dice the camera has recognised, teach it what the box before learned
        from them, and read them again."""
        found, self._camera.recognised = self._camera.recognised, None
        if found is None or found.game != self._tray.game:
            return
        if not found.box and found.game in self._base.dice:  # which are used without a box
            return
        lesson = self._tray.take_back_lesson()
        self._keep_played()
        with suppress(RefusedError):
            if found.box:
                self._shelf.choose(found.box)
            else:
                self._shelf.put_away(found.game)
        self.read_with_boxes()
        if lesson is not None:
            self._camera.learn(lesson)
        self._tray.read_lying()

    def _keep_played(self) -> None:
        """Keep what play has taught with the box in use; strange dice become a box once the table
        has confirmed how they are read. A disk that refuses is tried again with the next roll."""
        learned, tray, game = self._camera.setup.learned, self._camera.tray, self._tray.game
        if tray.is_strange:
            self._strange_game = game
        is_known = tray.known is None and tray.state is TrayState.READ
        is_known = is_known and self._strange_game == game
        is_one = self._shelf.chosen(game) is not None or is_known
        if learned is self._kept_of or self._tray.demo or not is_one:
            return
        self._kept_of = learned
        played = tuple(one for one in learned if one.game == game)
        with suppress(RefusedError):
            self._shelf.keep_played(DiceSet(time.strftime("%Y-%m-%d %H:%M"), game, played=played))
            self._strange_game = ""

    def _draw(self, request: SetupRequest) -> None:
        """Keep the tray as drawn; without corners, take the tray as found again."""
        if request.corners is not None:
            check_tray(request.corners)
        with self._lock:
            self._shelf.draw_tray(request.corners)
            self.read_with_boxes(*RULESETS)

    def _use(self, request: SetupRequest, state: SetupState) -> None:
        """Keep the new prints as a box, use it, and end the set-up."""
        game = self._of
        if request.name is None:
            raise RefusedError("error.box.no_name")
        if not set(rules_of(game).faces) <= state.prints.keys():
            raise RefusedError("error.setup.incomplete")
        faces = {
            face: tuple(Print(picture=picture) for picture in pictures)
            for face, pictures in state.prints.items()
        }
        with self._lock:
            self._shelf.add(DiceSet(name=request.name, game=game, faces=faces))
            self._camera.take_setup_step(SetupStep.END)
            self.read_with_boxes()

    def read_with_boxes(self, *same: str) -> None:
        """Read with the boxes that are in use, and what play has taught about these; demo dice are
        of none of them. Of games whose dice are the `same`, all counts that was taught.
        """
        with self._lock:
            if self._tray.demo:
                self._camera.use(Profile())
                self._kept_of = ()
                return
            profile = self._shelf.profile(self._base)
            learned = profile.played
            if same:
                mine = (one for one in self._camera.setup.learned if one.game in same)
                learned = (*(one for one in learned if one.game not in same), *mine)
            else:
                self._kept_of, self._strange_game = learned, ""
                self._tray.forget_lessons()
            self._camera.use(profile, learned, self._shelf.others())

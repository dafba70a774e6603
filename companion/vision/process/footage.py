"""Turn the pictures that voted into files with exactly the pixels that were read.

A camera's JPEG is kept as it came, without its metadata; a picture that came without a file becomes
a PNG. A JPEG made anew would be a tenth of that, but it has other pixels, and a doubtful die could
be read otherwise.
"""

from __future__ import annotations

import numpy as np

from companion.vision.box.profile import Dice, Profile
from companion.vision.errors import PhotoError
from companion.vision.pictures.decoding import decode
from companion.vision.pictures.frames import AnyFrame, Frame
from companion.vision.pictures.metadata import without_metadata
from companion.vision.read.reader import png
from companion.vision.report.form import Footage
from companion.vision.watch.watcher import Voted


def footage_of(voted: Voted | None, profile: Profile, learnt: Dice) -> Footage | None:
    """Make the footage of the last reading; None where its pictures were not kept. `learnt`: the
    prints learned in play until then."""
    if voted is None or not voted.frames:
        return None
    return Footage(
        frame=voted.reading.frame,
        at_s=voted.reading.at_s,
        frames=tuple(map(_file_of, voted.frames)),
        expected=voted.expected.count,
        profile=profile,
        learnt=learnt,
    )


def _file_of(shot: AnyFrame) -> bytes:
    """The picture as a JPEG or PNG that decodes to the same pixels."""
    image = shot.decode().image
    if isinstance(shot, Frame):
        return png(image)
    bare = without_metadata(shot.encoded)
    try:
        is_same = np.array_equal(decode(bare), image)
    except PhotoError:  # one that counted as black, or of which a part was read
        is_same = False
    return bare if is_same else png(image)

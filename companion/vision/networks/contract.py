"""`models/dice.json`: what the three networks take, give and are trusted with, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
)
from onnxruntime.capi.onnxruntime_pybind11_state import (
    NotImplemented as NotSupported,
)

from companion.vision.errors import ReaderError
from companion.vision.opencv import cv2

NAME: Final = "dice.json"
GREY: Final = 114
"""What the networks are shown beyond the picture's edge, in each colour."""
_BAD_NETWORK: Final = (Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NotSupported)
_AVX512_VNNI: Final = 23
"""`cv::CPU_AVX_512VNNI`, which has no name in Python."""


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How pixels become a network's input: (N, 3, height, width) float32 of BGR."""

    width: int
    height: int
    """0: whatever the picture's shape asks for, a multiple of `Detector.multiple`."""
    colours: str
    """The order of the three planes; `bgr`."""
    dtype: str
    mean: float
    """Taken from pixels in 0..1; with `per_crop` the crop's own mean is taken instead."""
    deviation: float
    """Divides them; with `per_crop` added to the crop's own standard deviation."""
    per_crop: bool


class Detector(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The network that finds top faces in the whole picture."""

    file: str
    input: Input
    margin: int
    """Grey px added on every side, so that the centre of a die that is cut off can be found."""
    grey: int
    multiple: int
    stride: int
    threshold: float
    """The lowest score of a candidate."""
    limit: int
    """The most candidates."""


class Corners(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The network that looks at one die closely: exact corners, is it a top, does it lie flat."""

    file: str
    input: Input
    region: float
    """The crop's width in sides of the die."""
    passes: int
    top: float
    """The lowest probability of being the top face of a die."""
    flat: float
    """The lowest probability of lying flat on the table, whatever the geometry says; else
    `Evidence.flat` decides."""


class Classifier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The network that reads a rectified top face."""

    file: str
    input: Input
    classes: tuple[str, ...]
    """The nine faces in the order of the output, then `reject`."""
    embedding: int
    region: float
    """The crop's width in sides of the die."""
    temperature: float
    rotations: int
    clear: float
    """A face whose logit leads by so much, upright and upside down, is not looked at once more."""
    accept: float
    """The lowest probability of a face that is named at all."""
    sure: float
    """How probable it must be that all the faces of a roll are right for none to be doubted."""
    alone: float
    """So many times more is a face doubted that no other die shows and no print: a sign of another
    game, taken for it, has nothing that it is unlike."""
    reject: float
    """The probability of `reject` from which nothing is said."""
    foreign: float
    """The probability outside the game's faces from which it is not this game's die."""


class Judgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds on the picture of one die."""

    smallest_px: float
    dark: float
    """The least contrast of a top face, grey levels of 255."""
    blurred: float
    """The least sharpness of a top face (s.d. of its Laplacian over its contrast)."""
    alike: float
    """The least likeness between a die and the likest of those that show its face, a cosine where
    that face is plain to see (`Decider.alike`)."""


class Enrolment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the prints that are known of a box say beside the classifier: enrolled ones, and such as
    the table has taught (`companion.vision.read.enrolled`)."""

    trust: float
    """The weight of what the classifier says, 0 to 1."""
    weight: float
    """The weight of how like the prints a die is."""
    stranger: float
    """The likeness, a cosine, that is expected of a face of which there are no prints."""
    sure: float
    """As `Classifier.sure`, for a roll of whose every face there are prints."""
    alike: float
    """As `Judgement.alike`, for such a roll."""
    flat: float
    """As `Evidence.flat`, for such a roll: where faces are known what leans is the greater risk."""


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tells a die from what only looks like one (`companion.vision.read.evidence`)."""

    weights: tuple[float, ...]
    """Of each sign, in the order of `evidence.SIGNS`."""
    die: float
    """The log-odds from which it is a die."""
    trace: float
    """The log-odds below which it is nothing; between the two it may be a die."""
    faint: float
    """The log-odds below which it is nothing where a die is known to be missing."""
    needed: float
    """The log-odds from which what fills up the known number of dice is not doubted to be one."""
    flat_weights: tuple[float, ...]
    """What tells a die that lies flat from one that leans, in the order of
    `evidence.FLAT_SIGNS`."""
    flat: float
    """The log-odds below which it leans."""
    cut_weights: tuple[float, ...]
    """What tells a die that the picture's edge cuts off, in the order of `evidence.CUT_SIGNS`."""
    cut: float
    """The log-odds from which a die cut off by the edge is reported."""


class Contract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of `dice.json`."""

    seed: int
    commit: str
    detector: Detector
    corners: Corners
    classifier: Classifier
    judgement: Judgement
    evidence: Evidence
    enrolment: Enrolment
    measured: dict[str, float]


def load_contract(folder: Path) -> Contract:
    """The folder's contract. ReaderError if it is missing or not as described here."""
    path = folder / NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=Contract)
    except OSError as error:
        raise ReaderError("error.reader.missing", path=str(path)) from error
    except msgspec.DecodeError as error:
        raise ReaderError("error.reader.contract", path=str(path), reason=str(error)) from error


def has_vnni() -> bool:
    """Whether this processor is an x86 one that adds eight-bit products in 32 bits (AVX-512 VNNI);
    AVX-VNNI alone is not known here."""
    return cv2.checkHardwareSupport(_AVX512_VNNI)


def load_session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    """The network, ready to run. ReaderError if the file is missing or no network."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # A spinning thread eats a core between two calls, on a machine that has other work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # x86 without VNNI adds pairs of eight-bit products in sixteen bits, which run over unless the
    # weights are taken as unsigned: the detector's logits of rolls were off by 0.5 on average, and
    # by up to 7. It takes a sixth to a half longer there, and with VNNI, for nothing, up to
    # twice as long; on ARM it changes nothing.
    if not has_vnni():
        options.add_session_config_entry("session.x64quantprecision", "1")
    if not path.is_file():
        raise ReaderError("error.reader.missing", path=str(path))
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except _BAD_NETWORK as error:
        raise ReaderError("error.reader.network", path=str(path)) from error


@dataclass(frozen=True, slots=True)
class Network:
    """A network and its one input's name."""

    session: onnxruntime.InferenceSession
    input_name: str

    @staticmethod
    def load(path: Path, outputs: int, threads: int = 1) -> Network:
        """The network of the file. ReaderError if it is missing, is none or gives fewer outputs."""
        session = load_session(path, threads)
        if len(session.get_outputs()) < outputs:
            raise ReaderError("error.reader.network", path=str(path))
        return Network(session, session.get_inputs()[0].name)

    def run(self, batch: Any) -> list[Any]:
        """The outputs for a float32 batch."""
        return list(self.session.run(None, {self.input_name: batch}))

"""The contract `models/dice.json`: inputs, outputs and thresholds of the three networks.

Also loads a network. What thresholds mean for a roll is decided in `companion.vision.read`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from companion.onnx_runtime import BAD_NETWORK, onnxruntime, session_options
from companion.vision.pictures import cv2
from companion.vision.readings import ReaderError

NAME: Final = "dice.json"
GREY: Final = 114
"""Grey level that pads a crop outside the picture. The detector's own padding is
`DetectorContract.grey`."""
_AVX512_VNNI: Final = 23
"""`cv::CPU_AVX_512VNNI`, which has no name in Python."""


class InputContract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The preprocessing of pixels for a network: (N, 3, height, width) float32 of BGR."""

    width: int
    height: int
    """0 if the height follows the picture's shape, rounded to `DetectorContract.multiple`."""
    colours: str
    """The order of the three planes; `bgr`."""
    dtype: str
    mean: float
    """Subtracted from pixels in 0..1; with `per_crop` the crop's own mean is used instead."""
    deviation: float
    """Divides them; with `per_crop` added to the crop's own standard deviation."""
    per_crop: bool


class DetectorContract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The network that finds top faces in the whole picture."""

    file: str
    input: InputContract
    margin: int
    """Grey px added on every side, so that the centre of a die that is cut off can be found."""
    grey: int
    multiple: int
    stride: int
    threshold: float
    """The lowest score of a candidate."""
    limit: int
    """The most candidates."""
    smaller: int
    """The picture's long side in a second look, px, for dice too large for the first one."""
    large: float
    """Smallest side of a die, as a share of the picture's long side, that is accepted from the
    second look."""
    finer: int
    """The picture's long side, px, in a look for missing dice: those that touch show better."""


class CornersContract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The network that looks at one die: its exact corners, and the probabilities that it is a top
    face and that it lies flat.
    """

    file: str
    input: InputContract
    region: float
    """The crop's width in sides of the die."""
    passes: int
    top: float
    """The lowest probability of being the top face of a die."""
    flat: float
    """If the network's own probability that a die lies flat is below this, geometry cannot raise
    it."""


class ClassifierContract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The network that reads a rectified top face."""

    file: str
    input: InputContract
    classes: tuple[str, ...]
    """The nine faces in the order of the output, then `reject`."""
    embedding: int
    region: float
    """The crop's width in sides of the die."""
    temperature: float
    prior: float
    """Added to the logarithm of the probability of no face: other games' dice and hidden tops are
    rarer on tables than in training."""
    rotations: int
    clear: float
    """A face whose logit leads by this much, upright and upside down, needs no further turns."""
    accept: float
    """The lowest probability of a face that is named at all."""
    reject: float
    """The probability of `reject` from which no face is named."""


class DieLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits below which a die's size, contrast or sharpness is reported as the reason for
    doubt."""

    smallest_px: float
    dark: float
    """The lowest contrast of a top face, grey levels of 255."""
    blurred: float
    """The lowest sharpness of a top face (s.d. of its Laplacian over its contrast)."""


class Enrolment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights and thresholds by which the classifier is combined with stored pictures (prints) of
    this set of dice.
    """

    prints_weight: float
    """The weight of the similarity to known prints."""
    without_prints: float
    """The cosine at which prints count neither for nor against a face; also used for a face without
    prints."""
    face_weights: tuple[float, ...]
    """As `Evidence.face_weights`, for a face with known prints."""


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights and thresholds by which a candidate counts as a die, as lying flat, or as cut off by
    the picture's edge.
    """

    weights: tuple[float, ...]
    """Of each feature, in the order of `decision.DIE_FEATURES`."""
    accept: float
    """The log-odds from which a candidate is a die."""
    possible: float
    """The log-odds from which a candidate may be a die."""
    possible_if_counted: float
    """As `possible`, if the number of dice is known and one is missing."""
    flat_weights: tuple[float, ...]
    """Weights of what tells whether a die lies flat, in the order of `decision.FLAT_FEATURES`."""
    face_weights: tuple[float, ...]
    """Weights of what tells whether a die's likeliest face is right, in the order of
    `decision.FACE_FEATURES`."""
    cut_weights: tuple[float, ...]
    """Weights of the features of a die cut off by the picture's edge, in the order of
    `decision.cut_features`."""
    cut: float
    """The log-odds from which a die cut off by the edge is reported."""


class SureFrom(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The probabilities from which a roll is sure: that all its dice are dice and show their
    likeliest faces.
    """

    unknown: float
    """Of a box that is not known, or only in part."""
    known: float
    """Of a box whose drawings the classifier knows as well."""
    strange: float
    """Of a box of other symbols."""


class Contract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of `dice.json`."""

    seed: int
    commit: str
    detector: DetectorContract
    corners: CornersContract
    classifier: ClassifierContract
    die_limits: DieLimits
    evidence: Evidence
    enrolment: Enrolment
    sure_from: SureFrom
    measured: dict[str, float]


def load_contract(folder: Path) -> Contract:
    """Load the folder's contract. ReaderError if it is missing or malformed."""
    path = folder / NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=Contract)
    except OSError as error:
        raise ReaderError("error.reader.missing", path=str(path)) from error
    except msgspec.DecodeError as error:
        raise ReaderError("error.reader.contract", path=str(path), reason=str(error)) from error


def has_vnni() -> bool:
    """Whether this is an x86 processor that adds eight-bit products in 32 bits (AVX-512 VNNI);
    AVX-VNNI without AVX-512 is not detected."""
    return cv2.checkHardwareSupport(_AVX512_VNNI)


def load_session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    """Load a network for running. ReaderError if the file is missing or no network."""
    options = session_options(threads)
    # x86 without VNNI adds pairs of eight-bit products in sixteen bits. These sums overflow unless
    # this option is set: the detector's logits of rolls were off by 0.5 on average, and by up to 7.
    # The option costs a sixth to a half more time there. With VNNI it is not needed, and would take
    # up to double the time. On ARM it has no effect.
    if not has_vnni():
        options.add_session_config_entry("session.x64quantprecision", "1")
    if not path.is_file():
        raise ReaderError("error.reader.missing", path=str(path))
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except BAD_NETWORK as error:
        raise ReaderError("error.reader.network", path=str(path)) from error


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded network with the name of its input."""

    session: onnxruntime.InferenceSession
    input_name: str

    @staticmethod
    def load(path: Path, outputs: int) -> Network:
        """Load a network. ReaderError if it is missing, invalid or has fewer outputs."""
        session = load_session(path, threads=1)
        if len(session.get_outputs()) < outputs:
            raise ReaderError("error.reader.network", path=str(path))
        return Network(session, session.get_inputs()[0].name)

    def run(self, batch: Any) -> list[Any]:
        """Run the network on a float32 batch."""
        return list(self.session.run(None, {self.input_name: batch}))

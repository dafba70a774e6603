"""The contract before anything is measured: shapes and starting thresholds for training."""

from pathlib import Path
from typing import Final

import msgspec

from companion.vision.networks.classify import REJECT
from companion.vision.networks.contract import (
    GREY,
    ClassifierContract,
    Contract,
    CornersContract,
    DetectorContract,
    DieLimits,
    Enrolment,
    Evidence,
    InputContract,
    SureFrom,
)
from models.art.glyphs import FACES

TERMS: Final = Contract(
    seed=1,
    commit="",
    detector=DetectorContract(
        file="detector.onnx",
        input=InputContract(480, 0, "bgr", "float32", 0.45, 0.25, False),
        margin=24,
        grey=GREY,
        multiple=16,
        stride=4,
        threshold=0.1,
        limit=30,
        smaller=160,
        large=0.18,
        finer=640,
    ),
    corners=CornersContract(
        file="corners.onnx",
        input=InputContract(64, 64, "bgr", "float32", 0.0, 0.08, True),
        region=2.3,
        passes=2,
        top=0.3,
        flat=0.12,
    ),
    classifier=ClassifierContract(
        file="classifier.onnx",
        input=InputContract(48, 48, "bgr", "float32", 0.0, 0.08, True),
        classes=(*FACES, REJECT),
        embedding=64,
        region=1.12,
        temperature=1.0,
        prior=0.0,
        rotations=4,
        clear=7.0,
        accept=0.5,
        reject=0.5,
    ),
    die_limits=DieLimits(smallest_px=28.0, dark=26.0, blurred=0.05),
    evidence=Evidence(
        weights=(0.8, 0.55, -2.0, -5.5, 0.3, 0.4, 0.55, 0.5, 1.7),
        accept=2.2,
        possible=-0.5,
        possible_if_counted=-3.0,
        flat_weights=(0.8, -1.5, -4.0, 0.0, 0.0, 3.5),
        face_weights=(0.9, 1.6, 2.6, 0.2, 0.0, 0.0, -2.0, -5.0),
        cut_weights=(0.9, 0.6, -0.2, 0.0, 0.4, -1.0, -1.0, 1.5),
        cut=-6.0,
    ),
    enrolment=Enrolment(
        prints_weight=4.0,
        without_prints=0.55,
        face_weights=(0.9, 1.6, 0.0, 0.0, 0.0, 0.0, -2.0, -5.0),
    ),
    sure_from=SureFrom(unknown=0.97, known=0.97, strange=0.97),
    measured={},
)


def write_contract(terms: Contract, target: Path) -> None:
    """Write `dice.json`, indented for reading and comparing."""
    text = msgspec.json.format(msgspec.json.encode(terms), indent=2)
    (target / "dice.json").write_bytes(text + b"\n")

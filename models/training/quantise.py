"""Quantise the networks to eight bits: a quarter of the size, half of the time.

`python -m models.training.quantise` takes the exported networks and a few hundred training
pictures, from which it finds the range of each layer's numbers. The last layers, whose numbers are
places, sizes and odds, stay in 32 bits: eight would round them.
"""

# First, since it switches off what the library reports to its maker.
import companion.onnx_runtime  # noqa: F401  # isort: skip

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import onnx
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process

from companion.vision.networks.classify import rectified
from companion.vision.networks.contract import load_contract
from companion.vision.networks.corners import crop_maps, crops
from companion.vision.networks.locate import letterboxed, normalised
from companion.vision.pictures import Pyramid
from models.arrays import Floats
from models.dataset import pictures
from models.places import FLOATS, TARGET
from models.terms import TERMS, write_contract
from models.training.export import SHAPES
from models.training.networks import LAST

PICTURES: Final = 200
VIEWS: Final = 40
"""The number of pictures for the detector, whose input is large."""


class CalibrationBatches(CalibrationDataReader):
    """The calibration batches, as ONNX Runtime's quantiser reads them."""

    def __init__(self, batches: Iterator[Floats]) -> None:
        self._batches = batches

    def get_next(self) -> dict[str, Floats] | None:
        """Return the next batch by the input's name, or None after the last."""
        batch = next(self._batches, None)
        return None if batch is None else {"image": batch}


def batches(name: str) -> Iterator[Floats]:
    """Yields calibration batches made from training pictures."""
    for picture in pictures("scenes", "train", VIEWS if name == "detector" else PICTURES):
        image = picture.image()
        if name == "detector":
            canvas, _ = letterboxed(image, TERMS.detector)
            yield normalised(canvas[None], TERMS.detector.input)
            continue
        quads = [label.quad for label in picture.labels if label.seen > 0.6]
        if not quads:
            continue
        corners, face = TERMS.corners, TERMS.classifier
        if name == "corners":
            maps = crop_maps(np.stack(quads), corners.region, corners.input.width)
            yield normalised(crops(Pyramid(image), maps, corners.input.width), corners.input)
        else:
            cut = rectified(Pyramid(image), np.stack(quads), face.region, face.input.width)
            yield normalised(cut, face.input)


def quantise(name: str, source: Path, target: Path, shown: Iterator[Floats]) -> None:
    """Quantise SOURCE/NAME.onnx to TARGET/NAME.onnx."""
    prepared = source / f"{name}.prepared.onnx"
    quant_pre_process(source / f"{name}.onnx", prepared, skip_symbolic_shape=True)
    nodes = onnx.load(prepared).graph.node
    exact = [node.name for node in nodes if LAST.intersection(node.name.split("/"))]
    quantize_static(
        prepared,
        target / f"{name}.onnx",
        CalibrationBatches(shown),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=["Conv", "Gemm", "Add", "Relu", "Resize"],
        nodes_to_exclude=exact,
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    prepared.unlink()


def main(source: Path = FLOATS, target: Path = TARGET) -> None:
    """Write all three quantised networks and the uncalibrated contract to the target."""
    cv2.setNumThreads(1)
    logging.getLogger().setLevel(logging.ERROR)
    target.mkdir(parents=True, exist_ok=True)
    for name in SHAPES:
        quantise(name, source, target, batches(name))
    write_contract(load_contract(source), target)


if __name__ == "__main__":
    main()

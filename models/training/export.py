"""Export the networks as ONNX with the contract beside them, in 32 bits and then in eight: a
quarter of the size, half of the time.

The last layers, whose numbers are places, sizes and odds, stay in 32 bits: eight would round them.
"""

# First, since it switches off what the library reports to its maker.
import companion.onnx_runtime  # noqa: F401  # isort: skip

import logging
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import onnx
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import nn

from companion.vision.networks.classify import rectified
from companion.vision.networks.corners import crop_maps, crops
from companion.vision.networks.locate import letterboxed, normalised
from companion.vision.pictures import Pyramid
from models.arrays import Floats
from models.dataset import pictures
from models.places import HERE
from models.terms import TERMS, write_contract
from models.training.networks import LAST
from models.training.samples import quads_of

OPSET: Final = 17
SHAPES: Final = {"detector": (304, 512), "corners": (64, 64), "classifier": (48, 48)}
OUTPUTS: Final = {
    "detector": ("maps",),
    "corners": ("offsets", "judgements"),
    "classifier": ("logits", "embedding"),
}
SHOWN: Final = {"detector": 40, "corners": 200, "classifier": 200}
"""The training pictures from which the range of each layer's numbers is found."""


def export(name: str, network: nn.Module, target: Path) -> None:
    """Write TARGET/NAME.onnx, with a variable batch (and detector size), and TARGET/dice.json."""
    target.mkdir(parents=True, exist_ok=True)
    axes = {"image": {0: "batch"}, **{output: {0: "batch"} for output in OUTPUTS[name]}}
    if name == "detector":
        axes["image"] |= {2: "height", 3: "width"}
        axes["maps"] |= {2: "rows", 3: "columns"}
    torch.onnx.export(
        network.cpu().eval().to(memory_format=torch.contiguous_format),
        (torch.zeros(1, 3, *SHAPES[name]),),
        str(target / f"{name}.onnx"),
        input_names=["image"],
        output_names=list(OUTPUTS[name]),
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )
    asked = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    write_contract(msgspec.structs.replace(TERMS, commit=commit), target)


class _Batches(CalibrationDataReader):
    """Inputs made from training pictures, as ONNX Runtime's quantiser reads them."""

    def __init__(self, name: str) -> None:
        self._batches = _inputs(name)

    def get_next(self) -> dict[str, Floats] | None:
        """Return the next batch by the input's name, or None after the last."""
        batch = next(self._batches, None)
        return None if batch is None else {"image": batch}


def _inputs(name: str) -> Iterator[Floats]:
    corners, face = TERMS.corners, TERMS.classifier
    for picture in pictures("scenes", "train", SHOWN[name]):
        image = picture.image()
        quads = quads_of([label for label in picture.labels if label.seen > 0.6])
        if name == "detector":
            canvas, _ = letterboxed(image, TERMS.detector)
            yield normalised(canvas[None], TERMS.detector.input)
        elif len(quads) and name == "corners":
            maps = crop_maps(quads, corners.region, corners.input.width)
            yield normalised(crops(Pyramid(image), maps, corners.input.width), corners.input)
        elif len(quads):
            cut = rectified(Pyramid(image), quads, face.region, face.input.width)
            yield normalised(cut, face.input)


def quantise(name: str, source: Path, target: Path) -> None:
    """Quantise SOURCE/NAME.onnx to TARGET/NAME.onnx."""
    logging.getLogger().setLevel(logging.ERROR)
    target.mkdir(parents=True, exist_ok=True)
    prepared = source / f"{name}.prepared.onnx"
    quant_pre_process(source / f"{name}.onnx", prepared, skip_symbolic_shape=True)
    nodes = onnx.load(prepared).graph.node
    quantize_static(
        prepared,
        target / f"{name}.onnx",
        _Batches(name),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=["Conv", "Gemm", "Add", "Relu", "Resize"],
        nodes_to_exclude=[node.name for node in nodes if LAST.intersection(node.name.split("/"))],
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    prepared.unlink()

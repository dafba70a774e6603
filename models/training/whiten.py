"""Whiten the classifier's embedding: the last step of the recipe.

`python -m models.training.whiten` composes tops of training symbols and folds the inverse root of
the scatter that tops of one symbol have among themselves into the last layer before the embedding
is made a unit vector. Directions in which pictures of one print differ then count less, those in
which prints differ count more; reader and contract do not notice.
"""

from pathlib import Path
from typing import Final

import numpy as np

from companion.onnx_runtime import onnxruntime
from companion.vision.networks.classify import FaceClassifier
from companion.vision.pictures import cv2
from models.arrays import Floats
from models.art.glyphs import load_bank
from models.places import TARGET
from models.scene.tops import compose
from models.terms import TERMS

TOPS: Final = 6
"""Composed tops of each symbol."""
SHRUNK: Final = 0.02
"""The share of the scatter that is spread evenly, so that no quiet direction is blown up."""
_LAYER: Final = "embed"
_DONE: Final = "whitened"


def embeddings_of_symbols(classifier: FaceClassifier, seed: int = 1) -> tuple[Floats, Floats]:
    """(n, 64) embeddings of composed tops of every training symbol, and (n,) which it is."""
    rng = np.random.default_rng(seed)
    terms, found = TERMS.classifier, []
    symbols = load_bank().of("train", "other")
    for symbol in symbols:
        masks = [symbol.variants[n % len(symbol.variants)] for n in range(TOPS)]
        tops = [compose(mask, rng, terms.region, terms.input.width) for mask in masks]
        found.append(classifier.judge(np.array(tops))[1])
    return np.concatenate(found), np.repeat(np.arange(len(symbols)), TOPS)


def whitening(vectors: Floats, names: Floats) -> Floats:
    """(d, d) symmetric: the map after which vectors (n, d) of one name, of (n,), scatter alike in
    every direction, scaled so that lengths stay about the same."""
    _, places, counts = np.unique(names, return_inverse=True, return_counts=True)
    means = np.zeros((len(counts), vectors.shape[1]))
    np.add.at(means, places, vectors)
    apart = vectors - (means / counts[:, None])[places]
    scatter = apart.T @ apart / (len(vectors) - len(counts))
    even = np.trace(scatter) / len(scatter)
    values, axes = np.linalg.eigh((1 - SHRUNK) * scatter + SHRUNK * even * np.eye(len(scatter)))
    found = (axes / np.sqrt(values)) @ axes.T
    return np.asarray(found * len(found) / np.trace(found), np.float64)


def is_whitened(path: Path) -> bool:
    """Whether the network at this path was whitened."""
    network = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return _DONE in network.get_modelmeta().custom_metadata_map


def fold(path: Path, found: Floats) -> None:
    """Multiply the network's last layer by a map (d, d)."""
    # Only training has this library; what is tested here does without it.
    import onnx

    network = onnx.load(path)
    for weights in network.graph.initializer:
        if weights.name.split(".")[0] == _LAYER:
            values = found @ onnx.numpy_helper.to_array(weights).astype(np.float64)
            weights.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float32), weights.name))
    network.metadata_props.add(key=_DONE, value="1")
    onnx.save(network, path)


def main(target: Path = TARGET) -> None:
    """Whiten the target's classifier. ValueError if this was done before."""
    cv2.setNumThreads(1)
    path = target / TERMS.classifier.file
    if is_whitened(path):
        raise ValueError(f"{path} is whitened already")
    vectors, names = embeddings_of_symbols(FaceClassifier(target, TERMS.classifier))
    fold(path, whitening(vectors, names))
    print(f"whitened by {len(names)} tops of {len(set(names.tolist()))} symbols")


if __name__ == "__main__":
    main()

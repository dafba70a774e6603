"""Array type aliases: they state shapes and dtypes for the reader, which OpenCV's stubs lack."""

from typing import Any

from numpy.typing import NDArray

Floats = NDArray[Any]
"""float32 (float64 if it does not matter)."""
Image = NDArray[Any]
"""uint8; (h, w, 3) BGR unless stated otherwise."""
Mask = NDArray[Any]
"""(h, w) uint8, ink 255."""

"""Array type aliases: they state shapes and dtypes for the reader, which OpenCV's stubs lack."""

from typing import Any

from numpy.typing import NDArray

Floats = NDArray[Any]
"""float32 (float64 where a caller does not mind)."""
Image = NDArray[Any]
"""uint8; (h, w, 3) BGR where nothing else is said."""
Mask = NDArray[Any]
"""(h, w) uint8, ink 255."""

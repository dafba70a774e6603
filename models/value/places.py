"""Where games and networks are kept while they are made, and the seed of all of it."""

from typing import Any, Final

from numpy.typing import NDArray

from models.places import CACHE, TARGET

SEED: Final = 1
WORK: Final = CACHE / "value"
"""Games played and networks of each round."""
SHIPPED: Final = TARGET / "value"
"""The networks that are shipped, and their contract."""
Ints = NDArray[Any]
"""int32."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lantern_fair import LANTERN_FAIR

from companion.engine.authoring import registered


@pytest.fixture
def fair() -> Iterator[str]:
    """Register the example game for a test; return its name."""
    with registered(LANTERN_FAIR):
        yield LANTERN_FAIR.name

"""Has the C library keep little of what was freed: by itself it keeps most for later.

mallopt(3), malloc_trim(3) of glibc; if another library lacks them, nothing happens.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Final

_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
"""The numbers of these settings in glibc's malloc.h."""
MAPPED_BYTES: Final = 128 * 1024
"""Blocks longer than this are mapped outside the heaps: glibc's default, which it would raise after
the first long block, to keep the next one in its heaps, which fragment and grow."""
HEAPS: Final = 2
"""By default glibc makes eight heaps a core, and what one thread has freed serves no other."""


def limit_malloc_cache() -> None:
    """Set it for this process."""
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, MAPPED_BYTES)
        library.mallopt(_ARENA_MAX, HEAPS)


def return_freed() -> None:
    """Return to the system what was freed. Takes some milliseconds, in which nothing allocates."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)

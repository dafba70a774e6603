"""Several tables on one machine: which there are, and the process that keeps each of them running.

Each is a service of its own, in a process of its own: its camera, log, codes and phones are never
another table's, and where it crashes or hangs, the others go on.
"""

from __future__ import annotations

from companion.tables.settings import (
    TablesError,
    TableSettings,
    folder_in,
    folder_of,
    has_tables,
    read_tables,
)

__all__ = [
    "TableSettings",
    "TablesError",
    "folder_in",
    "folder_of",
    "has_tables",
    "read_tables",
]

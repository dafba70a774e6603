"""Migration of a file to this version; before a breaking step the old file is copied."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from companion.storage.files import database_copy, free_name, replace_file
from companion.storage.schema import SCHEMA_ROW, Schema, create, put_mark


def migrate(db: sqlite3.Connection, path: Path, version: int, schema: Schema) -> None:
    """Bring the file up to this version; leave one of a later minor version as it is.

    Raises sqlite3.Error or OSError, and then nothing has changed.
    """
    if version >= schema.version:
        return
    steps = [step for step in schema.migrations if version < step.version <= schema.version]
    if any(step.breaking for step in steps):
        _keep_copy(db, free_name(path, f"version-{version}"))
    db.execute("BEGIN IMMEDIATE")
    try:
        create(db, schema)
        for step in steps:
            step.migrate(db)
        put_mark(db, SCHEMA_ROW, schema.version)
        db.execute("COMMIT")
    except sqlite3.Error:
        if db.in_transaction:
            db.rollback()
        raise


def _keep_copy(db: sqlite3.Connection, path: Path) -> None:
    """Copy the whole database durably to another file. Raises sqlite3.Error, OSError."""
    made = Path(f"{path}.part")
    made.unlink(missing_ok=True)
    try:
        with database_copy(db, made):
            pass  # it is closed before it gets its name
        replace_file(made, path)
    finally:
        made.unlink(missing_ok=True)

"""The routes of finished games: statistics, names, and files to keep."""

from __future__ import annotations

from companion.service.archive.routes import archive

__all__ = ["archive"]

"""Rules broken on purpose, in a copy of the package: which change breaks which clause."""

from __future__ import annotations

"""The routes of odds and coach: for the seat that decides, on its own phone."""

from __future__ import annotations

from companion.service.advice.routes import advice

__all__ = ["advice"]

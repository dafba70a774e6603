"""Synthetic scenes: dice on a table as cheap cameras show them, rendered in software."""

"""Rolls of another hand, path-traced."""

"""Measurement of the reader, and the choice of its thresholds."""

"""Measure the reader, and choose its thresholds."""

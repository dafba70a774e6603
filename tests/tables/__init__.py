"""Several tables on one machine."""

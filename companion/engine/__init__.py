"""The rules of both games: pure values and functions; no clock, no chance, no files, no prose."""

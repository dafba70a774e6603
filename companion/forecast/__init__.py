"""Win chances: a small network's forecast of a position, and advice that rests on it.

Takes positions and gives plain values; it knows no table, no log and no phone. The service imports
`messages` and `process` alone: only the other process (`child`) loads the networks.
"""

"""Win chances: a small network's forecast of a position, and advice that rests on it."""

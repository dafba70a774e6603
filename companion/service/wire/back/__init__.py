"""The forms of the pages that look back: moments of a game, and what was forgotten."""

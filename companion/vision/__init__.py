"""From a camera's frames to readings of dice. Knows faces, but no rule of play."""

"""The reader: from a camera's frames to readings of dice. It knows faces, but no rule of play."""

"""What a camera sees of the tray: frames, dice, readings. Knows faces, and no rule."""

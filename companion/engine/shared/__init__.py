"""What the rules of several games share: decorators, the turn, buying, moving, cards."""

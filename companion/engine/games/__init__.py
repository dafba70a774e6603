"""The games that come along, and the registry that finds a game by its name."""

"""The games of this package, and the registry that finds a game by its name."""

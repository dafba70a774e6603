"""The time machine: a game's moments for phones, and the branches that were left."""

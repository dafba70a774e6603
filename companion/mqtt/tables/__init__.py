"""A table as a hub shows it: one retained card, and the rows of its log on demand."""

"""The table as Home Assistant shows it: its state, its entities, its buttons."""

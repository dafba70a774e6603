"""Cards: abilities, then a table for each game. Nobody outside names a card."""

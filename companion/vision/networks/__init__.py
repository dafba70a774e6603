"""The three networks and their contract: where dice are, their corners, their faces."""

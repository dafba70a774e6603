"""The agenda loop: what happens next, whom it asks, and the events that answer."""

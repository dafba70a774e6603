"""The agenda loop: what happens next, the questions it asks, and the events that answer."""

"""The networks, and what they are shown."""

"""From frames to rolls: when the tray is at rest, and whether its dice are a new roll."""

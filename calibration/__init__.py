"""The tray's printed sheet, and captures of our own that tests read."""

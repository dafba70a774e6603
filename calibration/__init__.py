"""The printed sheet for the tray, and rendered captures of it that tests read."""

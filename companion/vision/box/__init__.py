"""What a table tells of its own camera and dice: its profile, its printed sheet, its lessons."""

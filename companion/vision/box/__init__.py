"""What is known of a box before pictures come: its dice, the table's profile, sheet and lessons."""

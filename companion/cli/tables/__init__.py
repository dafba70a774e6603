"""`companion tables`, and `companion serve` where there are several tables."""

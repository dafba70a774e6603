"""`companion tables`, the option `--at`, and `companion serve` where there are several tables."""

"""Televisions and overlays: screens that show the table, and send nothing."""

"""Copies of a data folder: backups made while the service runs, and archives brought back."""

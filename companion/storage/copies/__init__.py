"""Copies of a data folder: backups, their restoration, and snapshots."""

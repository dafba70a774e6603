"""One database file: how it is opened, read, written, brought up to date and replaced."""

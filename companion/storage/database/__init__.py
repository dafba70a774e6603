"""The log's database file: opening, verifying, migrating, writing, reading, and replacing a damaged
one.
"""

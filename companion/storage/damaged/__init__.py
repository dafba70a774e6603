"""Reading damaged databases: the write-ahead journal, rows found in raw bytes, and what hashes
prove.
"""

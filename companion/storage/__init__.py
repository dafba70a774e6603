"""The log on the disk: rows, the database's schema, repair of damaged files, backups. Knows no rule
of a game.
"""

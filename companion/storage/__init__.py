"""What the log is made of on the disk: rows, schema, damage, copies. Nothing here knows a rule."""

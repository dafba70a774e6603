"""The dice of the table: boxes that are kept, and the set-up of a new one by the host."""

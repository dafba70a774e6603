"""Path-traced rolls, an independent test of the reader: other dice, table and light
than `scene`.
"""

"""The dice of the table: the tray and its camera, boxes that are kept, and the set-up of a new one
by the host.
"""

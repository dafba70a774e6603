"""`companion update`: asks the machine's update helper for another version, and follows it.

The helper is a unit of root's that the Debian package brings. It and this command speak by files
in a spool folder, of which the helper believes nothing.
"""

"""What did we forget: the log compared with the rules, votes on what costs somebody, what is left
as it is.
"""

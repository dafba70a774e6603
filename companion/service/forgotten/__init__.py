"""What did we forget: the log compared with the rules, how it is put right, what is left
as it is.
"""

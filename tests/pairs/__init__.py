"""Which two cards can meet, which meetings have a test, and what must hold of the others: a game is
the same whoever sits where (rotation), and a copy is as good as its original (exchange).
"""

"""The hub of a café: all tables of a broker on one page, and the results of their games. It holds
nothing that the tables do not have; thrown away, it fills itself again.
"""

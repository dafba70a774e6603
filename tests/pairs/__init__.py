"""Pairs of cards: which can meet, which meetings have a test, and two symmetries of the others:
moving all seats changes nothing (rotation), and a copy is as good as its original (exchange).
"""

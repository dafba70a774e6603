"""Thousands of symbols that dice of any game might carry, each a class of its own."""

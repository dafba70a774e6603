"""Advice on the open decision: odds of the dice, and win chances."""

"""Input from outside, checked before use: positions, rulesets, JSON."""

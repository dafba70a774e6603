"""What comes in from outside and is checked first: positions, rulesets, JSON."""

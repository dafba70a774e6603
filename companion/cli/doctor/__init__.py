"""`companion doctor`: what is wrong with this machine, and what to do about it."""

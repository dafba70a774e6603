"""Options that several commands have, and what options take."""

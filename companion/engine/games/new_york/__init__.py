"""King of New York: its rules, clauses and cards."""

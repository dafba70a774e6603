"""King of Tokyo: its rules, editions, clauses and cards."""

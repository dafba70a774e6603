"""Monster Table: a companion for King of New York and King of Tokyo on a real table."""

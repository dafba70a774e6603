"""The cards of King of Tokyo by theme: abilities and rows; `table` puts them together."""

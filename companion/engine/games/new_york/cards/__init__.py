"""The cards of King of New York by theme: abilities and rows; `table` joins them."""

"""The cards of King of Tokyo by theme: abilities and rows; `table` joins them."""

"""The value networks: win chances of each seat, learned from games played against itself."""

"""What games come to, for phones: statistics, stories, merged names, files to keep."""

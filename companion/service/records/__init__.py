"""What games come to, for phones: counted in the background, merged by name, exported."""

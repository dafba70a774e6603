"""What happened, in sentences: what came of each event, and the newest of it for every screen."""

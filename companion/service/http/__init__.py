"""HTTP: who is heard, in what order, by which workers; everything before a route is called."""

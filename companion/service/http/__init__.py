"""HTTP: which requests are admitted, in what order, and by which workers they are answered."""

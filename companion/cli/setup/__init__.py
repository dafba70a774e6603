"""`companion setup`: choose the camera, and what else `serve` needs."""

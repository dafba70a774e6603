"""Sources of frames: a device, a Pi's own camera, a file, a folder, an address."""

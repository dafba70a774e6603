"""Sources of frames: USB cameras, a Pi's own camera, network cameras, files and folders."""

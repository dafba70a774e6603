"""A tray with demo dice behind a virtual camera: to try the table without a camera and dice."""

"""Pictures: decoding within limits, and frames as values. Cameras are opened in `sources`."""

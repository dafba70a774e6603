"""The documentation site: building it and checking what was built."""

"""Home Assistant itself beside a table: `make house`."""

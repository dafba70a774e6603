"""What the Debian package does on a machine beside its releases."""

"""The Debian package: built from this checkout, with the licences of what it carries."""

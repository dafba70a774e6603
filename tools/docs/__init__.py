"""The documentation site: building it, checking what was built, walking a newcomer's road."""

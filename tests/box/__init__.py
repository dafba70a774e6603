"""A clean Debian, from the package's installation to its removal: `make box`, `make arm64`."""

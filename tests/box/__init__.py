"""A clean Debian and the package on it: `make box`, `make roots`."""

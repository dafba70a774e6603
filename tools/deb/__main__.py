"""The command `python -m tools.deb`."""

import sys

from tools.deb.build import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`python -m servanda.cli`: the command `contract`."""

import sys

from servanda.cli.app import main

if __name__ == "__main__":
    sys.exit(main())

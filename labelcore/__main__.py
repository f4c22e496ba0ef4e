"""``python -m labelcore``: the library on the command line."""

import sys

from labelcore.cli import main

if __name__ == "__main__":
    sys.exit(main(name="python -m labelcore"))

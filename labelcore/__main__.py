"""``labelcore`` and ``python -m labelcore``: the library on the command line."""

import sys


def run(name: str = "labelcore") -> int:
    """The exit code of a command; no trace where Ctrl-C comes while it is loaded, or late."""
    try:
        from labelcore.cli import main

        return main(name=name)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(run("python -m labelcore"))

"""The program ``traceward``, which comes with the package."""

import signal
import sys

from . import _native


def main() -> int:
    """Runs the program with the arguments of this process."""
    # Python has a handler of its own, which would wait until the program has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(["traceward", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.packages.screen COMMAND`: what its first screen says, in a terminal of 100x30."""

import re
import sys

import pexpect

_SEQUENCES = re.compile(
    r"\x1b(\[[0-9;?<>=]*[ -/]*[@-~]|[PX^_].*?\x1b\\|\][^\x07\x1b]*(\x07|\x1b\\)|[()][0-9A-B]|[=>])", re.S
)
_WAITS_S = 120

child = pexpect.spawn(sys.argv[1], dimensions=(30, 100), encoding="utf-8", env=None, timeout=_WAITS_S)
try:
    child.expect("Maintain")  # the last choice of the first screen
finally:
    print(_SEQUENCES.sub(" ", (child.before or "") + (child.after if isinstance(child.after, str) else "")))
    child.close(force=True)

"""`raidtui` as on a serial line: its own mode of low bandwidth, the bench's pseudo-terminal taken for such a line."""

from raidtui.cli.app import main
from raidtui.ui import terminal

if __name__ == "__main__":
    terminal._SLOW_LINES = ("/dev/pts/",)
    main()

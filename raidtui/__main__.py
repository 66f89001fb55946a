"""`python -m raidtui`."""

from raidtui.cli import main

main()

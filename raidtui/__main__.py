"""`python -m raidtui`."""

from raidtui.cli.app import main

main()

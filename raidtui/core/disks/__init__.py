"""A machine, its disks, their uses, and whether they may be erased."""

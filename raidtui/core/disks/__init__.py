"""A machine, its disks, who uses them, and whether they may be erased."""

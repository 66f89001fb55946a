"""What stays after a run: how boot is made to know it, and the ZFS pool that is made anew for that."""

"""The edge: only here processes are started and /proc, /sys, devices and udev opened."""

"""The edges: the only place that starts processes or opens /proc, /sys, devices and udev."""

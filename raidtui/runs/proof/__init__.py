"""A proof on this machine: continued where it was cut off, differences located."""

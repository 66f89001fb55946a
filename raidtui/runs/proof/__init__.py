"""A proof on this machine: continued where it was interrupted, differences located."""

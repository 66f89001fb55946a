"""md arrays as they stand, any that the machine has: what they are, how they do, what to do about it. Pure."""

"""Files and the device beneath: extents, durability, trust."""

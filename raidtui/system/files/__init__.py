"""Files, and the device beneath them: where their bytes lie, and when they are there."""

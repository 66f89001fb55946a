"""RAID controllers and drives, by installed programs."""

"""What drives and RAID controllers tell of themselves, by the programs that ask them. Pure; starts nothing."""

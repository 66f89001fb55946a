"""Output of programs that query drives and RAID controllers. Pure."""

"""What to build of some disks for a purpose, and why: judgements in a table, reasons as values, their sentences."""

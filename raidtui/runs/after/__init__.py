"""What follows the end of a run, and cannot change it."""

"""What follows a run's end, without effect on it."""

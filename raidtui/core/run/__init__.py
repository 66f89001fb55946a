"""Events of a run, and their fold."""

"""A machine at work, without a run."""

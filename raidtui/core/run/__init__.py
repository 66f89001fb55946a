"""What a run writes down, and its fold."""

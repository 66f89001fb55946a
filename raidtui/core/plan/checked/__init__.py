"""Which steps a plan may have: a closed table."""

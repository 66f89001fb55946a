"""Whether what another worker built may be removed, and what a person agreed to for it."""

"""Results as markdown."""

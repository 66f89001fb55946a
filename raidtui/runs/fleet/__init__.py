"""Run directories that were collected from other machines."""

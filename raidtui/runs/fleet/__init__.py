"""Run directories of other machines."""

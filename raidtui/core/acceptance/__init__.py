"""Acceptance of a run: thresholds, and comparison with an earlier run."""

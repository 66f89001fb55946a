"""Kept arrays and pools: boot configuration, and the final ZFS pool."""

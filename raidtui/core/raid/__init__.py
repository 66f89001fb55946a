"""Levels, capacity, file systems, expected performance."""

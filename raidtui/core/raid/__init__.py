"""Levels, capacity, file systems, and what an array should do."""

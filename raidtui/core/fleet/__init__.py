"""Runs of many hosts as one report: differences of machines and disks."""

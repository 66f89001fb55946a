"""Runs of many hosts as one report: collected folders in, what differs among machines and disks out."""

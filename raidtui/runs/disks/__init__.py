"""What a run makes on its disks themselves, besides arrays: partition tables."""

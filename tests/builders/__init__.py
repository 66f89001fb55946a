"""What tests of several folders start from: machines, racks, plans, whole runs, what tools print."""

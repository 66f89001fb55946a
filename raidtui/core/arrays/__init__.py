"""Any md array or ZFS pool of the machine: state, conditions, remedies. Pure."""

"""What a run makes on disks and array beside md: tables, layers, pools; self-tests."""

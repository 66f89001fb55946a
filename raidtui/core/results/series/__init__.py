"""What a series of tests says together: places on a disk, offered rates, rounds, the progress of a rebuild."""

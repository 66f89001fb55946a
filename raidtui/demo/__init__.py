"""`raidtui demo`: a recorded run, carried on through the real screens. Opens no device and starts no program."""

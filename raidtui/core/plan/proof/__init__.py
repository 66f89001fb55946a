"""Steps that write an array, fail and rebuild its members, and verify it in each state."""

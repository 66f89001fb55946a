"""What a machine boots by, to be written: whose files lie where, the lines in them, edits that can be taken back."""

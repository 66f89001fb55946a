"""Makes a kept array permanent: lines in boot files, and checks."""

"""What makes a kept array permanent, carried out: lines in files that boot reads, and the looks that go with them."""

"""Proof that an array gives its data back: the written pattern, and where each byte of it lies."""

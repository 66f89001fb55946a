"""Carries out care of arrays: follows md, skips what is done."""

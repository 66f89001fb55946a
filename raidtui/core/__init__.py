"""Values and arithmetic: no I/O, clock or environment; standard library and msgspec only."""

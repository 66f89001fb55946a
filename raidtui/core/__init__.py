"""Values and arithmetic. No I/O, no clock, no environment; standard library and msgspec only."""

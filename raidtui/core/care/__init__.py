"""Care of arrays that stand: what may be done, and the plans that do it."""

"""Pages as values, and what renders them."""

"""Pages as values, and their renderers."""

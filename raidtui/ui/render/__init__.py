"""Values as lines, rows and charts of a terminal; no widget."""

"""Boot configuration: places by distribution, lines, reversible edits."""

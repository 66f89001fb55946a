"""Care of existing arrays: rules and plans."""

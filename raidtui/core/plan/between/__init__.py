"""What a stage makes between its array and the file system on it: the steps, each with its undo."""

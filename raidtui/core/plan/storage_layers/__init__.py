"""Steps of the layer between array and file system, each with its undo."""

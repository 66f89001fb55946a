"""Lines of the steps of the walk: Level, Chunk, File system, Tests. Pure."""

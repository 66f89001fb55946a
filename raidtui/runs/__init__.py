"""A run: its worker process, its directory and journal, and how to find, watch and stop it."""

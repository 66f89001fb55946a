"""A run: worker, directory and journal; finding, watching and stopping it."""

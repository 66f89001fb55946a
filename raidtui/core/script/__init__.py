"""A plan's steps as one bash script."""

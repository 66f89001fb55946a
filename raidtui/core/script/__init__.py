"""The steps of a plan as one bash script."""

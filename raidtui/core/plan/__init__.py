"""From answers to the steps, their estimate and their confirmation."""

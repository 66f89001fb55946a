"""What a run found, in a few sentences and as values: the answer to the question that its recipe asks."""

"""From measurements to what they mean."""

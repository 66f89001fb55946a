"""Answers and a recipe become steps with estimate and confirmation code."""

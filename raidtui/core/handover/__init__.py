"""Handover of a kept array: a document, and a script that rebuilds it."""

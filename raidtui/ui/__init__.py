"""The screens. Textual lives only here."""

"""What is handed over with an array that stays: a document for its people, a script that builds the same."""

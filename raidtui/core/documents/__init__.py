"""What raidtui says in JSON: the shape of each document, and its JSON schema, made of its own types."""

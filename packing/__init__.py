"""Makes a Debian package, a single file, the manual page and docs/commands.md. Needs no root, and changes no system."""

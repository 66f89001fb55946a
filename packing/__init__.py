"""Makes a Debian package, an rpm, a single file, the manual page, docs/commands.md. Needs no root, changes nothing."""

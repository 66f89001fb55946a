"""Makes a Debian package, an rpm, a single file, the manual page and docs/commands.md. Changes no system, needs no root."""

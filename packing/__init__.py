"""Makes what people install: the manual page, a Debian package, a single file. Needs no root, and changes no system."""

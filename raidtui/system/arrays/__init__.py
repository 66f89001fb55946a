"""What this machine knows of its md arrays besides the kernel: files of boot, marks of checks.

Reads only, but for one module: `boot_file` replaces a file of boot.
"""

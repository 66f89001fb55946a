"""What this machine knows of its md arrays besides the kernel: files of boot, marks of checks. One module writes: boot_file."""

"""md arrays beyond the kernel: boot files, checks. Read-only, except `boot_file`."""

"""fio's jobs and results."""

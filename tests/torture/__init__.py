"""The fault matrix: `python -m tests.torture [ROW...]`, in practice kernels of its own. Not part of the tests."""

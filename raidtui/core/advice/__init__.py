"""Proposals for a workload: judgements in a table, reasons as values, sentences."""

"""Runs: what the store keeps, opened, compared, taken home."""

"""Memory: what depth, heads and positional encodings do."""

"""The networks, each readable in one file; attention weights are returned, not hooked."""

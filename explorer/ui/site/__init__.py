"""The static edition: which pictures (pictures.py), and their folder for a web host (folder.py)."""

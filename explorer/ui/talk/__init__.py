"""A talk: scenes of the pages, as data (scenes.py), as one file (deck.py), and where it is kept."""

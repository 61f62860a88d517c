"""Talk: the reader's scenes, the deck made of them, the stage."""

"""How a server is reached: its settings, and what is asked of everyone who knocks."""

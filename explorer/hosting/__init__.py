"""How a server is reached: its settings, what is asked of everyone who knocks, and who that is."""

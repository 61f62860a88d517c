"""Design: a coupling, its spectrum, the width it needs, Theorem 4.1."""

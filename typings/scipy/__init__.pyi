"""What is used of SciPy, which ships no annotations."""

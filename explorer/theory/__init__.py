"""What is known without training: truncation floors, complexity and rates."""

"""A street for each page: what makes it, but for its canvas (ui/components)."""

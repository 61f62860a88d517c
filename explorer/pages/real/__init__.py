"""Real attention: spectra of couplings in models that others have trained."""

"""Order: another order and a filter for RNN and Transformer, mixing to a spectrum."""

"""Variants: the same questions without the answer, with noise, in other orders, with new facts."""

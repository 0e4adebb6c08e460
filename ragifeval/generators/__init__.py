"""Generators: what answers the questions. One module a kind; base.py says what they share."""

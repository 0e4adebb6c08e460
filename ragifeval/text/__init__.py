"""What "the answer contains this" means: text, words, lemmas, numbers, and the two rules."""

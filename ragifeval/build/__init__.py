"""Questions from one's own documents: read, cut, ask, criticise, turn into samples, review."""

"""ragdiag: which layer of a RAG system failed, for every query, with the proof."""

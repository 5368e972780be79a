"""What code can decide without a model: numbers, calculations, quotes, citations, identity."""

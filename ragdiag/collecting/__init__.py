"""A user's pipeline, asked every query: what it found and said, as samples to evaluate."""

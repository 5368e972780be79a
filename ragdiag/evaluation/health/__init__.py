"""Is an evaluation set fit to conclude from? Findings with their numbers and what to do."""

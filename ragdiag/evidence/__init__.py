"""Layer 2: is the evidence correct, sufficient, complete and traceable?"""

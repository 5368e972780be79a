"""Layer 1: was the right material found and ranked?"""

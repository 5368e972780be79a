"""Intervals and comparisons: pure functions of numbers."""

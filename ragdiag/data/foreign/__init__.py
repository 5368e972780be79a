"""Exports of other tools: told apart by structure, read as rows of the native format."""

"""`python -m ragdiag`: the command line."""

from ragdiag.cli.main import run

run()

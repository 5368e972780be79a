"""Where people already are: one file for each other tool, imported only when it is asked for."""

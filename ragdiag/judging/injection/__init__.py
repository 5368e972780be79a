"""Does a text talk to the judge, openly or in disguise? Code asks before a model reads it."""

from ragdiag.judging.injection.echo import echoed
from ragdiag.judging.injection.finding import Suspicion, suspect

__all__ = ["Suspicion", "echoed", "suspect"]

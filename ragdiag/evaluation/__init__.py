"""An evaluation: from files to the evaluation directory, and back."""

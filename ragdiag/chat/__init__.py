"""How a model is called: the only package that knows openai and HTTP."""

"""Who answers the questions: LLM, embedded screen, people's file, cascade, scripted double."""

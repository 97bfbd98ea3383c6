"""What an experiment is: the typed schema, its loading, problem sets and prompts."""

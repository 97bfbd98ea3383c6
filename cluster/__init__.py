"""The driver: plan, Ray tasks, retries, resume, progress and the command line."""

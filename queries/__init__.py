"""SQL only; this file marks the folder as part of the application."""

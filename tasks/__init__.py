"""The work itself: plain functions on plain records."""

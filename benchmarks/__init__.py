"""Programs that measure killgrid and check it against other ways of doing the same."""

"""Live provider: the objects under a prefix, read as a tree of skills while they may change."""

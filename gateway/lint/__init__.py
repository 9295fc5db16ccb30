"""What an author should mend in a tree of skills: texts and paths in, findings out. Pure; no I/O."""

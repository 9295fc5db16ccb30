"""The command line: one file per command, stdout for results, stderr for talk."""

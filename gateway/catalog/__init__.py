"""Skills registered in code: a catalogue scanned from files, static skills, skills made on request."""

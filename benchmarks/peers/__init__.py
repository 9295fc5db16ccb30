"""The peers as programs: each serves skills at http://127.0.0.1:PORT/mcp until it is told to stop."""

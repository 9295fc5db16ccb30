"""Which source a process serves, opened by its settings: a live tree, or the releases of a channel."""

"""Who was told what: one line for each answer, written beside the requests and never in their way."""

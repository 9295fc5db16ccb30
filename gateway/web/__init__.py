"""HTTP: the app around the protocol, what guards it, and health. Knows no storage."""

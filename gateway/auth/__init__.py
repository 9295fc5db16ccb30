"""Who calls: bearer tokens of identity providers, and keys of our own. It knows neither MCP nor ASGI."""

"""Who may see what: rules, what they grant, and a provider that shows no more than that.

Nothing here waits but for the provider behind the view, and nothing knows MCP or HTTP.
"""

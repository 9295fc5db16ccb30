"""Login with a browser, for the pages beside MCP: a sealed cookie that stands for a bearer token.

The cookie counts on the paths of pages alone, for GET and HEAD, and never at an endpoint of MCP: there a token comes in
the Authorization header or not at all, so that no other site can make a browser call one.
"""

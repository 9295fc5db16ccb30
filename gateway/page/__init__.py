"""The page for people: the catalogue, a skill's text and files, problems, history, and how to connect a host.

It asks the adapter that answers MCP, as the caller whom the layers in front let in, so that nobody reads here
what a host of theirs would not get. All HTML is made on the server; scripts only make it quicker.
"""

"""Traces of OpenTelemetry: the HTTP request, the SDK's own span in it, and the calls to the store in that.

The rest of the gateway knows this room alone. Without a provider every span is one that costs nothing.
"""

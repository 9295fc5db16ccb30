"""Agent Skills from an object store, served over MCP (SEP-2640)."""

__version__ = "0.1.0"

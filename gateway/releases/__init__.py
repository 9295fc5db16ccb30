"""Immutable releases of a tree of skills: contents by digest, a sharded manifest, channels that point at one."""

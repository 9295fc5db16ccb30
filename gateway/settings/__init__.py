"""Settings: the one room that reads the environment (the AWS credential chain is botocore's own).

`load_settings` reads the layers and refuses what is wrong by name; `Settings` is the value that
everything else is handed. Knows neither MCP nor S3 clients.
"""

from gateway.settings.load import load_settings
from gateway.settings.model import Settings

__all__ = ["Settings", "load_settings"]

"""SEP-2640 on the MCP SDK: owns every rule of the wire; knows no storage and no HTTP."""

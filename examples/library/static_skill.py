"""A skill given in code, on a server of the MCP SDK.

Run: python examples/library/static_skill.py [PORT]      then connect to http://127.0.0.1:8000/mcp
"""

import sys

import uvicorn
from mcp.server import Server

from gateway import Skills, StaticSkill, http_app

SKILL_MD = """\
---
name: unit-prices
description: Compare offers by their price per unit. Use it when quantities or currencies differ between offers.
---

# Unit prices

1. Bring every offer to the same unit; `references/units.md` has the factors.
2. Divide the price of each offer by its quantity.
3. Report the cheapest and by how much, in percent of the next one.
"""

UNITS = """\
# Units

| From | To | Factor |
| --- | --- | --- |
| pound | kilogram | 0.45359237 |
| ounce | gram | 28.349523125 |
"""

server: Server[object] = Server("price-helper", version="1")  # an MCPServer is attached to in the same way

skills = Skills([StaticSkill("unit-prices", {"SKILL.md": SKILL_MD, "references/units.md": UNITS})])
skills.attach(server)

if __name__ == "__main__":
    uvicorn.run(http_app(server), port=int(sys.argv[1]) if len(sys.argv) > 1 else 8000, log_level="warning")

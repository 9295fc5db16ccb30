"""What to paste into a host to connect it to an endpoint."""

import json

from gateway.page.connect import hosts, inspector_address


def connect_lines(url: str, page_url: str = "") -> str:
    """Several lines of text: the endpoint, the page for people, and how each host is told of it."""
    lines = [f"Skills are served at {url}", *([f"Look at them at {page_url}"] if page_url else []), ""]
    for host in hosts(url):
        text = json.dumps(json.loads(host.text)) if host.text.startswith("{") else host.text
        what = "" if host.what == "run" else f"{host.what.partition(',')[0]}: "
        lines.append(f"{host.name + ':':16} {what if host.text.startswith('{') else ''}{text}")
    lines[-1] += f", then open {inspector_address(url)}"
    return "\n".join([*lines, "", "Ctrl-C stops everything."])

"""A client that keeps its connection does not hold the server up."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from tests.protocol.host import ERAS, Era, headers_of, with_meta

ARGUMENTS = ["serve", "--bucket", "skills", "--endpoint-url", "http://127.0.0.1:1", "--port", "0"]


def test_a_kept_connection_does_not_delay_the_end(tmp_path: Path) -> None:
    """[ours] SIGTERM: exit code 0 within about a second, both eras' clients still connected."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}
    environment |= {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    with (
        ExitStack() as closing,
        subprocess.Popen(
            [sys.executable, "-c", "from gateway.cli.main import main; main()", *ARGUMENTS],
            cwd=tmp_path,
            env=environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            assert process.stderr is not None
            url = next(line for line in process.stderr if line.startswith("serving ")).split()[-1]
            kept = [connected(url, era, closing) for era in ERAS]
            process.send_signal(signal.SIGTERM)
            signalled = time.monotonic()
            process.communicate(timeout=20)
            assert (process.returncode, time.monotonic() - signalled < 3) == (0, True)
            assert all(connection.sock is not None for connection in kept)
        finally:
            process.kill()


def connected(url: str, era: Era, closing: ExitStack) -> http.client.HTTPConnection:
    """A connection that was used once, and stays open until `closing` ends."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    closing.callback(connection.close)
    body = {"jsonrpc": "2.0", "id": 1, "method": "resources/templates/list", "params": with_meta(era, {})}
    connection.request("POST", urlsplit(url).path, json.dumps(body), headers_of(era, "resources/templates/list"))
    answer = connection.getresponse()
    assert (answer.status, "resourceTemplates" in json.loads(answer.read())["result"]) == (200, True)
    assert connection.sock is not None
    return connection

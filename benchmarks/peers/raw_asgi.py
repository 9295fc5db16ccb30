"""The floor: a raw ASGI app that sends bytes it was given, on uvicorn as the gateway is.

python -m benchmarks.peers.raw_asgi PORT ANSWERS      ANSWERS is JSON: path to body
"""

import json
import sys
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send


def app_of(answers: dict[str, str]) -> ASGIApp:
    bodies = {path: body.encode() for path, body in answers.items()}
    heads = {
        path: [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        for path, body in bodies.items()
    }

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        while (await receive()).get("more_body"):
            pass
        path = scope["path"]
        await send({"type": "http.response.start", "status": 200, "headers": heads[path]})
        await send({"type": "http.response.body", "body": bodies[path]})

    return app


def main() -> None:
    answers = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    uvicorn.run(
        app_of(answers), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False, lifespan="off"
    )


if __name__ == "__main__":
    main()

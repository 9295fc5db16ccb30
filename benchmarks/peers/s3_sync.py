"""Download a prefix into a folder as `aws s3 sync` does into an empty one: list, then ten threads that get.

python -m benchmarks.peers.s3_sync ENDPOINT BUCKET PREFIX FOLDER      credentials come by the AWS chain

Prints `loading <seconds since 1970>` when it begins to ask the store.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

# max_concurrent_requests of the AWS CLI.
THREADS = 10


def sync(client: Any, bucket: str, prefix: str, folder: Path) -> int:
    """The number of files that were downloaded."""
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    keys = [item["Key"] for page in pages for item in page.get("Contents", ())]
    places = {key: folder / key.removeprefix(prefix) for key in keys}
    for parent in {place.parent for place in places.values()}:
        parent.mkdir(parents=True, exist_ok=True)

    def get(key: str) -> None:
        places[key].write_bytes(client.get_object(Bucket=bucket, Key=key)["Body"].read())

    with ThreadPoolExecutor(THREADS) as pool:
        return len(list(pool.map(get, keys)))


def main() -> None:
    endpoint, bucket, prefix, folder = sys.argv[1:5]
    config = Config(max_pool_connections=THREADS, s3={"addressing_style": "path"})
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", config=config)
    print(f"loading {time.time():.6f}", flush=True)
    sync(client, bucket, prefix, Path(folder))


if __name__ == "__main__":
    main()

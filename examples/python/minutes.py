"""A small client of Minutes with nothing but the standard library, and a list of open tasks as its use.

    MINUTES_URL=http://127.0.0.1:3000 MINUTES_API_KEY=jk_… python3 minutes.py
"""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterator


class MinutesError(Exception):
    """An answer that is not a success: its status and the service's sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class Minutes:
    def __init__(self, base_url: str, api_key: str, routes: str = "me") -> None:
        self.url = f"{base_url.rstrip('/')}/v1/{routes}"
        self.api_key = api_key

    def read(self, procedure: str, **parameters: Any) -> Any:
        query = urllib.parse.urlencode({"input": json.dumps({"json": parameters})})
        return self._send(urllib.request.Request(f"{self.url}/{procedure}?{query}"))

    def write(self, procedure: str, **parameters: Any) -> Any:
        request = urllib.request.Request(f"{self.url}/{procedure}", data=json.dumps({"json": parameters}).encode())
        request.add_header("content-type", "application/json")
        return self._send(request)

    def pages(self, procedure: str, field: str, **parameters: Any) -> Iterator[Any]:
        """Every item of a list, page by page."""
        cursor: dict[str, str] = {}
        while True:
            page = self.read(procedure, **parameters, **cursor)
            yield from page[field]
            if page["nextCursor"] is None:
                return
            cursor = {"cursor": page["nextCursor"]}

    def _send(self, request: urllib.request.Request) -> Any:
        request.add_header("x-api-key", self.api_key)
        while True:
            try:
                with urllib.request.urlopen(request, timeout=30) as response:
                    return json.load(response)["result"]["data"]["json"]
            except urllib.error.HTTPError as error:
                if error.code == 429:  # the quota: wait until it resets
                    time.sleep(int(error.headers.get("Retry-After", "1")))
                    continue
                raise MinutesError(error.code, json.load(error)["error"]) from None


if __name__ == "__main__":
    minutes = Minutes(os.environ.get("MINUTES_URL", "http://127.0.0.1:3000"), os.environ["MINUTES_API_KEY"])
    for task in minutes.pages("tasks.list", "tasks", completed=False, limit=100):
        who = task["assignee"]["name"] if task["assignee"] else "nobody"
        print(f"{task['text']} ({who}, {task['meetingTitle']})")

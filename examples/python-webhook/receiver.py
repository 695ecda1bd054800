import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
TOLERANCE = 300  # seconds
processed = set()  # a real receiver keeps these ids in its database, with what it did


def is_ours(header: str, body: bytes) -> bool:
    # One v0, or one for each valid secret in the 24 hours after a new one was made.
    match = re.fullmatch(r"t=(\d{1,12})((?:,v0=[0-9a-f]{64}){1,8})", header)
    if not match or abs(time.time() - int(match[1])) > TOLERANCE:
        return False
    message = match[1].encode() + b"." + body  # the raw bytes, as they came
    expected = hmac.new(SECRET, message, hashlib.sha256).hexdigest()
    return any([hmac.compare_digest(expected, one) for one in match[2].split(",v0=")[1:]])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        ours = is_ours(self.headers.get("x-service-signature", ""), body)
        if ours:
            event = json.loads(body)
            if event["metadata"]["id"] not in processed:
                print(event["data"]["title"] + ": " + event["data"]["summary"]["short"], flush=True)
                processed.add(event["metadata"]["id"])  # after the work: if it fails, the delivery is sent again
        self.send_response(204 if ours else 400)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8080))), Receiver)
    print("listening", flush=True)
    server.serve_forever()

import base64
import hashlib
import hmac
import os
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SECRET = os.environ["HOOKLINE_SECRET"]
if SECRET.startswith("whsec_"):
    KEY = base64.b64decode(SECRET.removeprefix("whsec_"), validate=True)
else:
    KEY = SECRET.encode()
MAX_BYTES = 4 * 1024 * 1024
TOLERANCE_SECONDS = 5 * 60
INBOX = Path("inbox")


def is_signed(headers, body):
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not message_id or not timestamp.isdecimal() or len(timestamp) > 12:
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(KEY, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(each, expected) for each in signatures)


def store(message_id, body):
    """Stores a delivery on disk. Returns False if the delivery was already stored."""
    part = INBOX / f"{uuid.uuid4()}.part"
    try:
        with part.open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        os.link(part, INBOX / f"{message_id}.json")
        return True
    except FileExistsError:
        return False
    finally:
        part.unlink(missing_ok=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_POST(self):
        # Hookline always sends Content-Length.
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return self.respond(411)
        if int(length) > MAX_BYTES:
            return self.respond(413)
        body = self.rfile.read(int(length))
        if not is_signed(self.headers, body):
            return self.respond(401)
        message_id = self.headers["webhook-id"]
        try:
            is_new = store(message_id, body)
        except OSError as error:
            self.log_error("%s", error)
            return self.respond(500)
        self.log_message("%s %s", "stored" if is_new else "duplicate", message_id)
        self.respond(200)

    def respond(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        if status in (411, 413):  # The body was not read.
            self.send_header("Connection", "close")
        self.end_headers()


INBOX.mkdir(exist_ok=True)
port = int(os.environ.get("PORT", "4801"))
with ThreadingHTTPServer(("127.0.0.1", port), Receiver) as server:
    print(f"Listening on http://127.0.0.1:{port}/", flush=True)
    server.serve_forever()

import hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
seen = set()


def verify(raw_body, headers, tolerance_seconds=300):
    timestamp = headers.get("X-Service-Timestamp", "")
    expected = hmac.new(SECRET, timestamp.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), headers.get("X-Service-Signature", "").encode()):
        raise ValueError("wrong signature")
    if abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise ValueError("timestamp too old or too new")
    return json.loads(raw_body)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            event = verify(self.rfile.read(int(self.headers["Content-Length"])), self.headers)
            status = 200
        except ValueError as error:
            print(error, flush=True)
            event, status = None, 400
        self.send_response(status)
        self.end_headers()
        if event is not None and event["id"] not in seen:
            seen.add(event["id"])
            print(event["type"], event["pda"], event["data"], flush=True)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
print("listening", server.server_port, flush=True)
server.serve_forever()

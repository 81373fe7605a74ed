"""Servers of this machine that stand in for providers of language models."""
import contextlib
import http.server
import json
import subprocess
import threading

from program import BUILD

# The APIs that the client speaks, with the path that each has below a server's address.
PATHS = {"openai_chat": "/v1", "openai_responses": "/v1", "anthropic_messages": "/v1", "gemini": "/v1beta"}


@contextlib.contextmanager
def mock_llm(replies, token, *words):
    """{API: address} of the mock of providers, which answers with the files of a folder."""
    process = subprocess.Popen([BUILD / "mock-llm", str(replies), "--token", token, *words], stdout=subprocess.PIPE, text=True)
    try:
        yield dict(process.stdout.readline().split() for _ in PATHS)
    finally:
        process.kill()
        process.wait()


class LlmServer(http.server.ThreadingHTTPServer):
    """Answers each request with reply(request): a status, and a document, the text of one, or an iterable of events."""

    def __init__(self, reply, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.reply = reply
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """An ending program closes its connections."""

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        status, body = self.server.reply(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        if isinstance(body, (dict, str)):
            whole = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.head(status, "application/json", {"content-length": str(len(whole))})
            self.wfile.write(whole)
            return
        self.head(status, "text/event-stream", {})
        for event in body:
            self.wfile.write(event.encode())
            self.wfile.flush()

    def head(self, status, kind, more):
        self.send_response(status)
        for name, value in {"content-type": kind, **more}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_):
        pass

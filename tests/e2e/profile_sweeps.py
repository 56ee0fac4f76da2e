"""What the tests of latency profiles share: an engine of known capacity, sweeps, their report."""
import contextlib
import http.server
import json
import pathlib
import subprocess
import threading
import time

from support import tool, wait_for

PROMPT, OUTPUT = 20, 16


@contextlib.contextmanager
def engine(*options, name="engine"):
    """A simulated engine for requests of PROMPT and OUTPUT tokens; gives (URL, capacity per s)."""
    port = pathlib.Path(f"{name}.port")
    words = ["tokreplay", "serve", "--engine", "--port", "0", "--port-file", port,
             "--step-per-prefill-token", "0", "--mean-input", PROMPT, "--mean-output", OUTPUT,
             *options]
    with open(f"{name}.out", "w") as out:
        process = subprocess.Popen([str(word) for word in words], stdout=out)
    pathlib.Path(f"{name}.pid").write_text(str(process.pid))
    try:
        wait_for(lambda: port.exists() and port.read_text().strip(), "the engine's port")
        said = wait_for(lambda: [line for line in open(f"{name}.out") if "saturates" in line],
                        "the engine's capacity")
        yield f"http://127.0.0.1:{port.read_text().strip()}", float(said[0].split()[2])
    finally:
        process.terminate()
        process.wait(20)


def profile_options(url, *options):
    return ["--url", url, "--input-tokens", str(PROMPT), "--output-tokens", str(OUTPUT), *options]


def profile(url, directory, *options, code=0):
    return tool("tokreplay", "profile", *profile_options(url, *options), "-o", directory, code=code)


def stages_of(directory):
    manifest = pathlib.Path(directory, "profile.json")
    return json.loads(manifest.read_text())["stages"] if manifest.exists() else []


def report(*operands):
    return json.loads(tool("tokanalyze", "profile", "--json", *operands)[0])


class Overloaded(http.server.BaseHTTPRequestHandler):
    """Streams 4 tokens over 100 ms, and refuses with 503 what comes while `most` are open."""
    protocol_version = "HTTP/1.1"
    most, open_now, lock = 5, 0, threading.Lock()

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200, "application/json", b'{"object": "list", "data": [{"id": "m"}]}')

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        with self.lock:
            refused = Overloaded.open_now >= self.most
            Overloaded.open_now += not refused
        if refused:
            self.answer(503, "application/json", b'{"error": {"message": "overloaded"}}')
            return
        try:
            time.sleep(0.1)
            event = b'data: {"choices": [{"index": 0, "text": "x"}]}\n\n'
            self.answer(200, "text/event-stream", event * 4 + b"data: [DONE]\n\n")
        finally:
            with self.lock:
                Overloaded.open_now -= 1


@contextlib.contextmanager
def overloaded_server():
    """A server that fails at high load; gives its URL."""
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Overloaded)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_address[1]}"
    finally:
        listening.shutdown()
        listening.server_close()

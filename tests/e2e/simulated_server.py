"""Starts `tokreplay serve` for a test, and talks to it without a client library's help."""
import json
import signal
import socket
import subprocess


class Server:
    """A simulated server on a free port; `with` ends it."""

    def __init__(self, *options):
        self.process = subprocess.Popen(["tokreplay", "serve", "--port", "0", *options],
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on http://"), line
        self.url = line.split()[-1]
        self.host, port = self.url.removeprefix("http://").rsplit(":", 1)
        self.port = int(port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, number=signal.SIGTERM):
        """The exit code after a signal."""
        if self.process.returncode is None:
            self.process.send_signal(number)
            self.process.wait(20)
            self.process.stdout.close()
        return self.process.returncode

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=20)

    def raw(self, *pieces):
        """What comes back, to the end of the connection, for bytes sent piece by piece."""
        with self.connect() as connection:
            for piece in pieces:
                connection.sendall(piece)
            return read_all(connection)


def read_all(connection):
    """To the end; a reset ends it too."""
    got = bytearray()
    try:
        while piece := connection.recv(65536):
            got += piece
    except ConnectionResetError:
        pass
    return bytes(got)


def request(path, body=None, *fields, method=None, version="1.1"):
    """The bytes of a request; the connection ends with it unless a field says otherwise."""
    content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    method = method or ("GET" if body is None else "POST")
    lines = [f"{method} {path} HTTP/{version}", "Host: test", *fields]
    if not any(field.lower().startswith("connection") for field in fields):
        lines.append("Connection: close")
    if body is not None and not any(f.lower().startswith("transfer-encoding") for f in fields):
        lines.append(f"Content-Length: {len(content)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def dechunk(body):
    """The content of a chunked body, and whether its last chunk came."""
    content, at = bytearray(), 0
    while (line_end := body.find(b"\r\n", at)) >= 0:
        size = int(body[at:line_end], 16)
        at = line_end + 2
        if size == 0:
            return bytes(content), body[at:] == b"\r\n"
        content += body[at:at + size]
        at += size + 2
    return bytes(content), False


class Answer:
    """A response as it came: status, fields, content, and the events of a stream."""

    def __init__(self, raw):
        head, _, body = raw.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split()[1]) if raw else None
        self.fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        self.complete = True
        if self.fields.get("transfer-encoding") == "chunked":
            body, self.complete = dechunk(body)
        elif "content-length" in self.fields:
            self.complete = len(body) == int(self.fields["content-length"])
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def payloads(self):
        """Behind "data: ", one per event."""
        blocks = self.body.decode().split("\n\n")
        return [block.removeprefix("data: ") for block in blocks if block]

    @property
    def events(self):
        return [json.loads(payload) for payload in self.payloads if payload.startswith("{")]

    @property
    def done(self):
        return self.payloads[-1] == "[DONE]"


def text_of(choice):
    return choice["text"] if "text" in choice else choice["delta"].get("content") or ""


def tokens_of(answer):
    """Words over all events of a stream."""
    return sum(len(text_of(choice).split()) for event in answer.events
               for choice in event["choices"])

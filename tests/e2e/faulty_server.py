"""A server of raw sockets for what a well-behaved one cannot do. Requests that ask for STRUCK
tokens get the fault, all others a good answer."""
import json
import select
import socket
import struct
import threading

GOOD, STRUCK = 5, 7


def token(text=" word", finish=None):
    return json.dumps({"choices": [{"index": 0, "text": text, "finish_reason": finish}]})


class Closed(Exception):
    """The client went away, or the server is over."""


class Connection:
    """One client: its requests, and what is sent back piece by piece."""

    def __init__(self, server, client):
        self.server, self.client = server, client
        self.got = b""
        self.target = self.body = None
        self.fields = {}
        self.chunked = True

    def receive(self):
        """More bytes; gives up when the client or the server ends."""
        while not select.select([self.client], [], [], 0.05)[0]:
            if self.server.over:
                raise Closed
        piece = self.client.recv(65536)
        if not piece:
            raise Closed
        self.got += piece

    def read_request(self):
        while b"\r\n\r\n" not in self.got:
            self.receive()
        head, self.got = self.got.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        self.target = lines[0].split()[1]
        self.fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        length = int(self.fields.get("content-length", 0))
        while len(self.got) < length:
            self.receive()
        self.body, self.got = json.loads(self.got[:length] or "{}"), self.got[length:]

    def send(self, content):
        self.client.sendall(content if isinstance(content, bytes) else content.encode())

    def head(self, status=200, *fields, content_type="text/event-stream", version="1.1",
             chunked=True):
        self.chunked = chunked
        lines = [f"HTTP/{version} {status} Text", f"Content-Type: {content_type}", *fields]
        lines += ["Transfer-Encoding: chunked"] * chunked
        self.send("\r\n".join(lines) + "\r\n\r\n")

    def piece(self, content):
        """Of a body: a chunk where it is chunked."""
        content = content if isinstance(content, bytes) else content.encode()
        self.send(b"%x\r\n%s\r\n" % (len(content), content) if self.chunked else content)

    def event(self, data, kind=None):
        self.piece(f"event: {kind}\n" * bool(kind) + f"data: {data}\n\n")

    def tokens(self, count):
        for _ in range(count):
            self.event(token())

    def done(self):
        self.event(token("", "stop"))
        self.event("[DONE]")

    def last_chunk(self):
        if self.chunked:
            self.send("0\r\n\r\n")

    def answer(self, count, *fields, **options):
        """A good answer, whole."""
        self.head(200, *fields, **options)
        self.tokens(count)
        self.done()
        self.last_chunk()

    def whole(self, status, content, content_type, *fields):
        """An answer with Content-Length, on a connection that is kept."""
        self.head(status, f"Content-Length: {len(content)}", *fields, content_type=content_type,
                  chunked=False)
        self.send(content)
        return True

    def wait(self):
        """Silence until the client goes away."""
        while True:
            self.receive()

    def reset(self):
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.client.close()


def good_answer(connection):
    connection.answer(GOOD)
    return True


class FaultyServer:
    """`fault` answers a struck request on a Connection; true: the connection goes on. `greet`, if
    given, takes the place of everything from accept on."""

    def __init__(self, fault=good_answer, tls=None, greet=None, port=0):
        self.fault, self.tls, self.greet = fault, tls, greet
        self.over = False
        self.requests = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", port), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.url = f"http{'s' * bool(tls)}://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.accept)
        self.clients = []

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()
        self.listener.close()
        for client in self.clients:
            client.join()

    def accept(self):
        while not self.over:
            if select.select([self.listener], [], [], 0.05)[0]:
                client = threading.Thread(target=self.serve, args=self.listener.accept()[:1])
                client.start()
                self.clients.append(client)

    def serve(self, client):
        try:
            client.settimeout(20)
            if self.greet:
                self.greet(Connection(self, client))
                return
            if self.tls:
                client = self.tls.wrap_socket(client, server_side=True)
            connection = Connection(self, client)
            while self.serve_request(connection):
                pass
        except (Closed, OSError, ValueError):
            pass
        finally:
            client.close()

    def serve_request(self, connection):
        connection.read_request()
        with self.lock:
            self.requests.append((connection.target, connection.fields, connection.body))
        struck = connection.body.get("max_tokens") == STRUCK
        return (self.fault if struck else good_answer)(connection)

    def seen(self):
        """Completion requests that came, by what they asked for."""
        with self.lock:
            asked = [body.get("max_tokens") for _, _, body in self.requests]
        return {"good": asked.count(GOOD), "struck": asked.count(STRUCK)}

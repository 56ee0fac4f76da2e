"""Captures in tests, and packets read without any of the code under test."""
import contextlib
import pathlib
import signal
import struct
import subprocess
import tempfile

from support import expect, skip

PCAP_HEADER, RECORD_HEADER = 24, 16


@contextlib.contextmanager
def capture(interface, url, path, *options, prefix=()):
    """tokrecord capture of the server's port around a block; skips where the right is missing."""
    port = url.rsplit(":", 1)[1]
    words = [*prefix, "tokrecord", "capture", "-i", interface, "-p", port, "-o", str(path),
             "--ready-fd", "1", *options]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if process.stdout.readline() != "ready\n":
        error = process.communicate()[1]
        if "no right to capture" in error:
            skip("no right to capture packets")
        expect(False, f"the capture does not start: {error}")
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=30)[1]
    expect(process.returncode == 0, f"the capture ends with {process.returncode}: {error}")
    expect("dropped" not in error, error)


def can_capture():
    """Whether this user may capture packets of the loopback interface."""
    with tempfile.TemporaryDirectory() as directory:
        words = ["tokrecord", "capture", "-q", "-i", "lo", "-o", f"{directory}/try.pcap.zst",
                 "--duration", "10ms"]
        return subprocess.run(words, capture_output=True, check=False).returncode != 4


def decompress(path):
    return subprocess.run(["zstd", "-dcq", str(path)], capture_output=True, check=True).stdout


def packets_of(pcap):
    """The packets of a classic pcap file with their headers, as bytes."""
    at = PCAP_HEADER
    while at < len(pcap):
        length = RECORD_HEADER + struct.unpack_from("<I", pcap, at + 8)[0]
        yield pcap[at:at + length]
        at += length


def cut(pcap, pieces):
    """The same capture in several files, each with the header."""
    packets = list(packets_of(pcap))
    per_file = -(-len(packets) // pieces)
    paths = []
    for number in range(pieces):
        path = pathlib.Path(f"piece-{number}.pcap")
        path.write_bytes(pcap[:PCAP_HEADER] +
                         b"".join(packets[number * per_file:(number + 1) * per_file]))
        paths.append(path)
    return paths

#!/usr/bin/python3
"""A run whose times are known by arithmetic, to test figures with. Run as a program it writes the run's
log, fixed_run.toklog, by formats/arrivals.md, and draws the golden data of figures/ from it with the
tokanalyze in PATH: look at what changed before you commit it. Needs the zstd command.
"""
import pathlib
import struct
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
LOG = HERE / "fixed_run.toklog"
GOLDEN = HERE / "figures"

US = 1_000
MS = 1_000_000
SETUP_NS = 30 * US  # the loop wakes this long after the token came
LOOPS = [(0, 600 * MS, 3 * MS), (600 * MS, 1200 * MS, 7 * MS)]  # from, to, longest iteration


class Request:
    """Request i of 12, due every 100 ms; no two are open at once. The last but one breaks off after two
    tokens, and 70 ms of silence; the last is refused."""

    def __init__(self, i):
        self.row = i
        self.outcome = {10: 3, 11: 1}.get(i, 0)
        self.due = i * 100 * MS
        self.sent = self.due + (10 * i + 13) * US
        self.input = 100 * (1 + i % 4)
        self.tokens = {10: 2, 11: 0}.get(i, 4 + i % 3)
        self.ttft = 10 * MS + self.input * 100 * US
        self.gap = (4 + i % 2) * MS
        self.service = (20 + 5 * (i % 3)) * US
        self.lag = SETUP_NS + self.service
        self.arrivals = [self.sent + self.ttft + k * self.gap for k in range(self.tokens)]
        self.apps = [arrival + self.lag for arrival in self.arrivals]
        last = self.apps[-1] if self.apps else self.sent + 2 * MS
        self.end = self.arrivals[-1] + 70 * MS if i == 10 else last
        self.ok = self.outcome == 0


REQUESTS = [Request(i) for i in range(12)]


def varint(number):
    groups = b""
    while number > 127:
        groups += bytes([number & 127 | 128])
        number >>= 7
    return groups + bytes([number])


def zigzag(number):
    return 2 * number if number >= 0 else -2 * number - 1


def number_field(key, number):
    return varint(key * 2) + varint(number)


def bytes_field(key, content):
    return varint(key * 2 + 1) + varint(len(content)) + content


def times(fields):
    """Time fields, each stored as the difference to the one before."""
    last, stored = 0, b""
    for key, time in fields:
        stored += number_field(key, zigzag(time - last))
        last = time
    return stored


def split_column(numbers):
    return bytes(number & 255 for number in numbers) + b"".join(varint(number >> 8)
                                                                for number in numbers)


def record(kind, fields):
    return varint(kind) + varint(len(fields)) + fields


def events(request):
    units = [arrival // 100 for arrival in request.arrivals]
    before = [request.sent // 100] + units[:-1]
    woke = request.service // 100
    return (number_field(30, len(units)) + number_field(31, 0)
            + bytes_field(32, varint(0) + varint(len(units)))
            + bytes_field(33, split_column([1 + zigzag(unit - last)
                                            for unit, last in zip(units, before)]))
            + bytes_field(34, split_column([1 + zigzag(request.lag // 100) for _ in units]))
            + bytes_field(36, b"".join(varint(1 + woke) for _ in units)))


def request_record(request):
    counts = ((10, request.input), (11, 4 + request.row % 3), (23, 500 if request.outcome == 1 else 200))
    return record(2, number_field(1, request.row)
                  + times(((2, request.due), (3, request.due), (7, request.sent), (9, request.end)))
                  + b"".join(number_field(*count) for count in counts)
                  + number_field(26, request.outcome) + number_field(27, 5 if request.ok else 1)
                  + (events(request) if request.tokens else b""))


def stream():
    loops = b"".join(record(3, times(((1, begin), (2, end))) + number_field(3, 10 * MS)
                            + number_field(4, 100) + number_field(7, stall))
                     for begin, end, stall in LOOPS)
    header = bytes_field(2, b"fixed run") + number_field(4, 0) + number_field(6, 1) + number_field(7, 12)
    tokens = sum(request.tokens for request in REQUESTS)
    end = times([(1, 1200 * MS)]) + number_field(2, 12) + number_field(3, tokens)
    return (b"toklog\r\n" + struct.pack("<HH", 1, 0) + record(1, header)
            + b"".join(map(request_record, REQUESTS)) + loops + record(5, end))


def main():
    LOG.write_bytes(subprocess.run(["zstd", "-q", "-19", "--check", "-c"], input=stream(), check=True,
                                   stdout=subprocess.PIPE).stdout)
    subprocess.run(["tokanalyze", "plot", LOG, "-o", GOLDEN, "--force", "--slo", "ttft_p90<60ms"], check=True)
    for path in GOLDEN.iterdir():
        if path.suffix != ".dat":
            path.unlink()


if __name__ == "__main__":
    main()

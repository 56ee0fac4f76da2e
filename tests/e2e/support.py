"""What the end-to-end tests share: a simulated server, runs, and what was logged of them."""
import bisect
import contextlib
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import time

TRACES = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "traces"
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def expect(condition, what):
    """Fails the test with `what`."""
    if not condition:
        print(f"FAILED: {what}")
        sys.exit(1)


def expect_equal(seen, expected, what):
    expect(seen == expected, f"{what}: {seen!r}, expected {expected!r}")


def tool(*words, code=0, timeout=300, **options):
    """Runs a command to its end; its output as (stdout, stderr). The exit code must be `code`."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          timeout=timeout, **options)
    expect(done.returncode == code,
           f"{' '.join(map(str, words))}: exit {done.returncode}, expected {code}\n"
           f"{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


@contextlib.contextmanager
def server(*options, name="port", under=()):
    """A simulated server on a free port; gives its URL. Those that run at once have names. under: the
    command that starts it, such as nice."""
    port = pathlib.Path(f"{name}.number")
    port.unlink(missing_ok=True)
    process = subprocess.Popen([*under, "tokreplay", "serve", "--port", "0", "--port-file", port,
                                *options], stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: port.exists() and port.read_text().strip(), "the server's port")
        yield f"http://127.0.0.1:{port.read_text().strip()}"
    finally:
        process.terminate()
        process.wait(20)


def wait_for(condition, what, seconds=20):
    """Until condition() is true; gives its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    expect(False, f"waited {seconds} s for {what}")


def start_run(url, directory, *options):
    """tokreplay run in the background."""
    words = ["tokreplay", "run", "--url", url, "-o", directory, *options]
    return subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def run(url, directory, *options, code=0):
    return tool("tokreplay", "run", "--url", url, "-o", directory, *options, code=code)


def manifest(directory):
    return json.loads(pathlib.Path(directory, "run.json").read_text())


def summary(*operands):
    return json.loads(tool("tokanalyze", "summary", "--json", *operands)[0])


def records(*operands, events=False):
    """One dict per request."""
    words = ["tokanalyze", "export", "--ndjson"] + (["--events"] if events else [])
    return [json.loads(line) for line in tool(*words, *operands)[0].splitlines()]


def worker_pids(directory):
    """Of a run that has started."""
    wait_for(lambda: pathlib.Path(directory, "run.json").exists(), "run.json")
    return [worker["pid"] for worker in manifest(directory)["workers"]]


def children(pid):
    return [int(child) for child in
            pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def ks_distance(a, b):
    """Largest difference of the empirical distributions of two sorted samples."""
    return max(abs(bisect.bisect_right(a, x) / len(a) - bisect.bisect_right(b, x) / len(b))
               for x in a + b)


def ks_p(a, b):
    """Chance of a distance as large as that of a and b if both have one law: Kolmogorov's
    limit with Stephens' correction for finite samples."""
    root = math.sqrt(len(a) * len(b) / (len(a) + len(b)))
    at = (root + 0.12 + 0.11 / root) * ks_distance(a, b)
    series = sum((-1) ** (k - 1) * math.exp(-2 * (k * at) ** 2) for k in range(1, 101))
    return 1.0 if at < 0.2 else min(1.0, max(0.0, 2 * series))


def write_trace(path, rows):
    """Rows of (seconds, input tokens, output tokens) as an Azure trace."""
    with open(path, "w") as trace:
        trace.write("TIMESTAMP,ContextTokens,GeneratedTokens\n")
        for seconds, input_tokens, output_tokens in rows:
            minutes, rest = divmod(seconds, 60)
            trace.write(f"2026-01-01 00:{int(minutes):02}:{rest:010.7f},"
                        f"{input_tokens},{output_tokens}\n")
    return path


def interrupt(process, signal_number=signal.SIGINT):
    """As a person at the terminal does; gives (exit code, stdout, stderr)."""
    os.kill(process.pid, signal_number)
    out, error = process.communicate(timeout=60)
    return process.returncode, out, error

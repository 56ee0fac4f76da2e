"""What every fault must leave behind: outcomes that name it, the tokens that came before it, all
other requests untouched, a run that ends in time, and no process."""
import concurrent.futures
import os
import pathlib
import sys
import time

from faulty_server import GOOD, STRUCK
from support import expect, expect_equal, manifest, records, summary, tool, write_trace

ROWS = 24
SPAN_S = 0.48
STRUCK_ROWS = range(0, ROWS, 3)
# Beyond plan, timeout and grace a run may take: the start of processes on a busy machine.
SLACK_S = 10


def write_fault_trace(path="trace.csv", struck_input=10):
    return write_trace(path, [(at * SPAN_S / ROWS, struck_input if at in STRUCK_ROWS else 10,
                               STRUCK if at in STRUCK_ROWS else GOOD) for at in range(ROWS)])


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def run_faulty(url, directory, *options, code=0, timeout_s=10, env=None, trace="trace.csv",
               prefix=()):
    """A run that must end in time with `code` and leave no process; gives (records, stderr)."""
    before = time.monotonic()
    words = [*prefix, "tokreplay", "run", "--url", url, "-o", directory, "--trace", trace,
             "--no-probe", "--model", "m", "--timeout", f"{timeout_s}s", "--workers", "2", *options]
    _, error = tool(*words, code=code, env=dict(os.environ, **(env or {})))
    took_s = time.monotonic() - before
    expect(took_s < SPAN_S + timeout_s + SLACK_S, f"{directory}: took {took_s:.1f} s")
    pids = [worker["pid"] for worker in manifest(directory)["workers"]]
    expect(not any(map(alive, pids)), f"{directory}: a worker is left")
    return records(directory), error


def counts_of(rows):
    counts = {}
    for row in rows:
        counts[row["outcome"]] = counts.get(row["outcome"], 0) + 1
    return counts


def by_connection(rows):
    return {(row["local_port"], row["connection_request"]): row for row in rows}


def check_whole(record, tokens, what):
    """A request that no fault touched."""
    expect_equal((record["outcome"], record["output_events"], record["output_tokens"]),
                 ("ok", tokens, tokens), f"{what}: row {record['row']}")
    expect(max(record["due_ns"], record["start_ns"]) <= record["sent_ns"] <=
           record["first_token_arrival_ns"] <= record["last_token_app_ns"] <= record["end_ns"],
           f"{what}: moments of row {record['row']}")


def check_struck(rows, directory, outcome, tokens):
    """Counts, tokens kept, the requests between, and that the summary takes none for a success."""
    struck = [row for row in rows if row["row"] in STRUCK_ROWS]
    good = [row for row in rows if row["row"] not in STRUCK_ROWS]
    expect_equal(sorted(row["row"] for row in rows), list(range(ROWS)), f"{directory}: rows")
    for record in good:
        check_whole(record, GOOD, directory)
    expect_equal(counts_of(struck), {outcome: len(STRUCK_ROWS)}, f"{directory}: outcomes")
    expect_equal({record["output_events"] for record in struck}, {tokens},
                 f"{directory}: tokens kept")
    succeeded = len(good) + (len(struck) if outcome == "ok" else 0)
    report = summary(directory)
    expect_equal((report["requests"]["planned"], report["requests"]["succeeded"],
                  report["latency_s"]["ttft"]["count"]), (ROWS, succeeded, succeeded),
                 f"{directory}: planned, succeeded, measured")
    if outcome != "ok":
        expect_equal(report["requests"]["failures"][outcome], len(struck),
                     f"{directory}: failures")
    return struck


def run_table(rows, run_row, threads=3):
    """run_row(*row) for all, a few at a time; tells every failure and exits."""
    def guarded(row):
        try:
            run_row(*row)
        except SystemExit:
            return 1
        return 0

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        failed = sum(pool.map(guarded, rows))
    print(f"{len(rows)} faults, {failed} not as expected")
    if failed:
        sys.exit(1)


def scratch(name):
    """A directory name for a row: its words with hyphens."""
    return pathlib.Path("run-" + "-".join(name.replace("/", " ").split()))

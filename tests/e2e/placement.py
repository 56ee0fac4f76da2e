"""Runs that the machine's other load leaves alone: a worker with a CPU of its own, the server and all
else on another, both before ordinary processes where this user may say so."""
import contextlib
import os

from support import expect_equal, server, start_run, worker_pids

CPUS = sorted(os.sched_getaffinity(0))


def put_first(pid, priority):
    """False where only root may."""
    try:
        os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(priority))
    except PermissionError:
        return False
    return True


@contextlib.contextmanager
def placed_server(*options, cpus=tuple(CPUS[-1:])):
    """As support.server, on the last CPU; so is all that this process starts from now on. It goes first
    there: it stands for another machine."""
    os.sched_setaffinity(0, cpus)
    prior = put_first(0, 1)
    with server(*options) as url:
        if prior:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        yield url


def placed_run(url, directory, *options):
    """tokreplay run with one worker. Its loop has the first CPU, but not its helper threads."""
    process = start_run(url, directory, "--workers", 1, *options)
    worker = worker_pids(directory)[0]
    os.sched_setaffinity(worker, CPUS[:1])
    put_first(worker, 2)
    out, error = process.communicate(timeout=300)
    expect_equal(process.returncode, 0, f"exit of the run: {out}{error}")

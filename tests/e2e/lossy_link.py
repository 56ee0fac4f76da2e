"""Two network namespaces with a link between them that delays, drops and reorders packets: tun devices
and a relay, so that it needs no more than root."""
import contextlib
import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import threading
import time

from support import skip

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
ADDRESSES = ("198.18.0.1", "198.18.0.2") # for tests of networks (RFC 2544)


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


def open_tun(namespace):
    """A tun device of its own inside the namespace; gives the descriptor of its packets."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net") as home, open(f"/run/netns/{namespace}") as there:
        if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        try:
            tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", b"wire", IFF_TUN | IFF_NO_PI))
        finally:
            libc.setns(home.fileno(), CLONE_NEWNET)
    return tun


class Relay(threading.Thread):
    """Passes packets on after `delay` seconds; loses a share, and lets another share overtake."""

    def __init__(self, tuns, delay, loss, overtake, seed):
        super().__init__(daemon=True)
        self.tuns, self.delay, self.loss, self.overtake = tuns, delay, loss, overtake
        self.random = random.Random(seed)
        self.waiting, self.number, self.lost, self.stopping = [], 0, 0, False

    def take(self, side):
        with contextlib.suppress(BlockingIOError):
            while True:
                packet = os.read(self.tuns[side], 65536)
                if self.random.random() < self.loss:
                    self.lost += 1
                    continue
                delay = 0 if self.random.random() < self.overtake else self.delay
                self.number += 1
                heapq.heappush(self.waiting, (time.monotonic() + delay, self.number, 1 - side, packet))

    def run(self):
        while not self.stopping:
            now = time.monotonic()
            wait = min(self.waiting[0][0] - now, 0.05) if self.waiting else 0.05
            ready = select.select(self.tuns, [], [], max(wait, 0))[0]
            for tun in ready:
                self.take(self.tuns.index(tun))
            while self.waiting and self.waiting[0][0] <= time.monotonic():
                _, _, side, packet = heapq.heappop(self.waiting)
                os.write(self.tuns[side], packet)


@contextlib.contextmanager
def lossy_link(delay, loss, overtake, seed=1):
    """Gives the two namespaces' names and the relay."""
    names = [f"toktrace-{os.getpid()}-{side}" for side in ("client", "server")]
    tuns = []
    relay = None
    try:
        for name, own, other in zip(names, ADDRESSES, reversed(ADDRESSES)):
            ip("netns", "add", name)
            tuns.append(open_tun(name))
            ip("-n", name, "addr", "add", own, "peer", other, "dev", "wire")
            ip("-n", name, "link", "set", "dev", "wire", "up")
        relay = Relay(tuns, delay, loss, overtake, seed)
        relay.start()
        yield names[0], names[1], relay
    except (OSError, subprocess.CalledProcessError) as error:
        skip(f"no network namespaces with tun devices: {error}")
    finally:
        if relay:
            relay.stopping = True
            relay.join()
        for tun in tuns:
            os.close(tun)
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

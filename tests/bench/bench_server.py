"""What the measurements of clients share: the simulated server, and the CPU time of children."""
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time


class Server:
    """tokreplay serve with a law of service; `with` gives its port."""

    def __init__(self, *law):
        self.law = law

    def __enter__(self):
        self.port_file = pathlib.Path(tempfile.mkdtemp(), "port")
        self.process = subprocess.Popen(["tokreplay", "serve", "--port", "0", "--port-file",
                                         self.port_file, *self.law], stdout=subprocess.DEVNULL)
        while not (self.port_file.exists() and self.port_file.read_text().strip()):
            time.sleep(0.05)
        return self.port_file.read_text().strip()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.port_file.parent)


def children_cpu_s():
    """Of those that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

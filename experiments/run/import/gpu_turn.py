"""Lets problems that are imported side by side share the memory of this machine's GPU."""

import fcntl
import math
import os
import tempfile
import time

PARTS = 8  # of the memory, each with a file that is locked
PAUSE = 0.1  # seconds


class GpuTurn:
    """A share of the memory, above 0 and up to 1, while it is taken. Whoever waits longest gets what becomes free."""

    def __init__(self, share):
        self.parts, self.first, self.files = min(math.ceil(share * PARTS), PARTS), None, {}

    def taken(self):
        """Takes the share if it is free, else what is free of it."""
        self.first = self.first or _locked("first")
        if self.first is None:
            return False
        for part in set(range(PARTS)) - set(self.files):
            if len(self.files) < self.parts and (file := _locked(part)):
                self.files[part] = file
        if len(self.files) < self.parts:
            return False
        _unlock(self.first)
        return True

    def give(self):
        for file in self.files.values():
            _unlock(file)
        self.files = {}

    def __enter__(self):
        while not self.taken():
            time.sleep(PAUSE)

    def __exit__(self, *_):
        self.give()


def _locked(name):
    """The file of that name, or None where another problem has it."""
    file = open(os.path.join(tempfile.gettempdir(), f"kernelevolve-import-{os.getuid()}-{name}.lock"), "w", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def _unlock(file):
    """Not by closing alone: a forked process may have the file open too."""
    fcntl.flock(file, fcntl.LOCK_UN)
    file.close()

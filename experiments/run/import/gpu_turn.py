"""Lets problems that are imported side by side share the memory of this machine's GPU."""

import fcntl
import math
import os
import tempfile
import time

PARTS = 8  # of the memory, each with a file that is locked
PAUSE = 0.1  # seconds


class GpuTurn:
    """A share of the memory, above 0 and up to 1, while it is taken."""

    def __init__(self, share):
        self.parts, self.files = min(math.ceil(share * PARTS), PARTS), []

    def taken(self):
        """Takes the share if it is free."""
        for i in range(PARTS):
            file = open(os.path.join(tempfile.gettempdir(), f"kernelevolve-import-{os.getuid()}-{i}.lock"), "w", encoding="ascii")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                continue
            self.files.append(file)
            if len(self.files) == self.parts:
                return True
        self.give()
        return False

    def give(self):
        """Unlocks by name, not by closing: a forked process may have the files open too."""
        for file in self.files:
            fcntl.flock(file, fcntl.LOCK_UN)
            file.close()
        self.files = []

    def __enter__(self):
        while not self.taken():
            time.sleep(PAUSE)

    def __exit__(self, *_):
        self.give()

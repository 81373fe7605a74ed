"""Finds processes that an evaluation leaves behind: this program is their reaper, so none can
hide."""
import ctypes
import os
import pathlib
import signal
import time

_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """Makes orphaned descendants children of this process from now on."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def _children():
    """(pid, state, name) of each child."""
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            text = (folder / "stat").read_text()
        except OSError:
            continue
        name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        if int(rest[1]) == os.getpid():
            yield int(folder.name), rest[0], name


def left_behind(expected, patience_s=1.0):
    """Kills living children that are not `expected` (a function that returns pids); returns their
    names."""
    end = time.monotonic() + patience_s
    while True:
        running = set(expected())
        strangers = [(pid, state, name) for pid, state, name in _children() if pid not in running]
        for pid, state, _ in strangers:
            if state == "Z":
                os.waitpid(pid, os.WNOHANG)
        alive = [(pid, name) for pid, state, name in strangers if state != "Z"]
        if not alive or time.monotonic() > end:
            break
        time.sleep(0.02)
    for pid, _ in alive:
        os.kill(pid, signal.SIGKILL)
    return [f"process {pid} ({name}) is left" for pid, name in alive]

"""Asks kernelevolve whether it takes a task that was just written: what `kernelevolve check TASK` answers.

The task is written into a folder beside its own, and moved to its place when it is admitted."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from gpu_turn import GpuTurn

MOST_SECONDS = 300  # of a check


class Waiting:
    """A task that was written, until it is admitted or refused."""

    def __init__(self, row, written, folder, program, index):
        self.row, self.written, self.folder, self.program, self.index = row, written, folder, program, index
        share = row.pop("gpu_share", 0)
        self.turn = GpuTurn(share) if share else None
        self.process = None

    def _start(self):
        self.output, self.errors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.deadline = time.monotonic() + MOST_SECONDS
        # The reference runs with the first python3 in PATH: it must be this one, which has the module's packages.
        paths = [os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)]
        self.process = subprocess.Popen([self.program, "check", str(self.written), *lane_of(self.written, self.index), "--json"],
                                        stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.errors,
                                        env={**os.environ, "PATH": os.pathsep.join(paths)})

    def finished_row(self):
        """The row of the report, or None while kernelevolve checks the task or waits to do so."""
        if self.process is None:
            if self.turn is None or self.turn.taken():
                self._start()
            return None
        late = time.monotonic() > self.deadline
        if self.process.poll() is None and not late:
            return None
        if late:
            self.process.kill()
            self.process.wait()
        if self.turn is not None:
            self.turn.give()
        reason = f"kernelevolve check took longer than {MOST_SECONDS} s" if late else self._refusal()
        if reason:
            self.row.update(result="refused", reason=self._of_user(reason), note="")
        else:
            _move(self.written, self.folder)
        shutil.rmtree(self.written)
        return self.row

    def _refusal(self):
        """Why the task is not admitted, or ''."""
        self.output.seek(0)
        try:
            answer = json.load(self.output)
        except ValueError:
            self.errors.seek(0)
            lines = self.errors.read().decode(errors="replace").splitlines()
            lines = lines or [f"it ended with {self.process.returncode}"]
            return f"kernelevolve check: {lines[0]}"
        if not answer["judged"]:
            notes = [self.row["note"], f"not judged here: {answer.get('note', 'no device')}"]
            self.row["note"] = "; ".join(note for note in notes if note)
        return f"kernelevolve check: {answer['problems'][0]}" if answer["problems"] else ""

    def _of_user(self, text):
        """Names the folder that the user gave."""
        return " ".join(text.replace(str(self.written), str(self.folder)).split())


def lane_of(written, index):
    """Words for the check of the problem of that index: checks side by side call baselines on processors of their own."""
    if re.search(r"^language: (?!cpp)", (written / "task.yaml").read_text(encoding="utf-8"), re.MULTILINE):
        return []
    cores = sorted(os.sched_getaffinity(0))
    return [f"device={{kind: cpu, lane_core: {cores[-1 - index % len(cores)]}}}"]


def _move(source, target):
    target.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        path.replace(target / path.name)


def written_folder(folder):
    """Where the task is written before it is admitted."""
    made = (folder.parent / ".importing" / folder.name).resolve()
    shutil.rmtree(made, ignore_errors=True)
    return made

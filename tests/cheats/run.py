#!/usr/bin/env python3
"""Sends cheating, broken and correct kernels through `kernelevolve eval` and compares the verdicts with what is allowed.

Exit code 0: no hole, no good kernel rejected; 1 otherwise; 77: the corpus or the program is not there.
"""
import argparse
import concurrent.futures
import fcntl
import json
import os
import pathlib
import pwd
import signal
import subprocess
import sys
import tempfile
import threading
import time

import canaries
import children
import corpus

TREE = pathlib.Path(__file__).resolve().parents[2]
# Known open holes, one per line: printed and counted, but they fail no test.
KNOWN = dict(line.split("\t") for line in (corpus.HERE / "known.tsv").read_text().splitlines()[1:])
WALL_S = 60  # of one evaluation
# Namespaces, Landlock and a filter are all that protects the user's files and calls from a kernel.
UNSTOPPED = {"rlimits": {"sandbox", "snoop", "load", "compile"}}
UNDECIDED = ("unreliable", "lost")  # repeated once; no credit for a bad kernel
SLOW = ("timeout", "compile_limit")  # repeated once for a good kernel
SKIP = 77


class Runner:
    """Runs evaluations, several at a time, and judges each answer."""

    def __init__(self, options, folder, planted):
        self.options, self.folder, self.planted = options, folder, planted
        self.lock, self.running = threading.Lock(), set()
        self.hashes = {}

    def command(self, kernel, path):
        command = [self.options.binary, "eval", str(TREE / "configs/tasks" / corpus.TASKS.get(kernel.task, kernel.task)),
                   str(path), "--json"]
        if self.options.only and kernel.kind != "timed":
            command += ["--only", self.options.only]
        if kernel.flags:
            command.append("--flags=" + kernel.flags)
        if self.options.level:
            command += ["--sandbox", self.options.level]
        if self.options.user:
            user = pwd.getpwnam(self.options.user)
            command = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *command]
        return command

    def environment(self):
        home = pwd.getpwnam(self.options.user).pw_dir if self.options.user else os.environ.get("HOME", "/")
        keep = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
        return {**keep, "HOME": home, canaries.VARIABLE: self.planted.token}

    def place(self, kernel):
        path = self.folder / (kernel.name + ".cpp")
        path.write_bytes(kernel.source)
        path.chmod(0o644)
        return path

    def start(self, kernel):
        with self.lock:
            process = subprocess.Popen(self.command(kernel, self.place(kernel)), cwd=self.folder, env=self.environment(),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       start_new_session=True)
            self.running.add(process.pid)
        return process

    def evaluate(self, kernel):
        """(answer or None, exit code, all text)"""
        process = self.start(kernel)
        try:
            out, err = process.communicate(timeout=WALL_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return {"verdict": "hang", "reason": f"no answer in {WALL_S} s"}, None, ""
        finally:
            with self.lock:
                self.running.discard(process.pid)
        text = out.decode(errors="replace")
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {"verdict": "no_answer", "reason": (err.decode(errors="replace").strip() or text)[-200:]}
        return answer, process.returncode, text + err.decode(errors="replace")

    def problems(self, kernel, answer, code, text):
        found = self.planted.damage()
        if self.planted.leaked_in(text):
            found.append("the output quotes a canary")
        if code not in (0, 1) or (code == 0) != (answer["verdict"] == "ok"):
            found.append(f"exit code {code}")
        with self.lock:
            found += children.left_behind(lambda: self.running)
        if answer["verdict"] == "ok" and answer.get("ci") and answer["ci"][0] >= kernel.most_speedup:
            found.append(f"a speedup of {answer['speedup']:.2f}, surely {kernel.most_speedup:g} and more")
        if kernel.kind == "twin" and answer.get("build_hash"):
            self.hashes.setdefault(answer["build_hash"], []).append(kernel.name)
            if len(self.hashes) > 1:
                found.append("twins differ in their build hash")
        return found

    def judge(self, kernel):
        begin = time.monotonic()
        answer, code, text = self.evaluate(kernel)
        retried = answer["verdict"] in UNDECIDED or (kernel.good and answer["verdict"] in SLOW)
        if retried:
            answer, code, text = self.evaluate(kernel)
        found = self.problems(kernel, answer, code, text)
        level = answer.get("sandbox_level", "")
        if found:
            status = "HOLE"
        elif answer["verdict"] in kernel.allowed:
            status = "OK"
        elif kernel.good:
            status = "REJECTED-GOOD"
        else:
            status = "UNDECIDED" if answer["verdict"] in UNDECIDED else "HOLE"
        if status == "HOLE" and kernel.kind in UNSTOPPED.get(level, ()):
            status = "LEVEL"
        if status in ("HOLE", "REJECTED-GOOD") and kernel.name in KNOWN:
            status, found = "KNOWN", found + [KNOWN[kernel.name]]
        reason = "; ".join(filter(None, [answer.get("reason") or "", *found, "second try" if retried else ""]))
        return status, answer["verdict"], reason, time.monotonic() - begin, level


def row(name, task, expected, got, reason, seconds, status):
    return f"{name:28} {task:10} {expected:34.34} {got:16} {seconds:>5}  {status:14} {reason}"


def expected_text(kernel):
    """The shorter of the allowed and the forbidden verdicts."""
    missing = corpus.VERDICTS - kernel.allowed
    return "|".join(kernel.allowed_words) if len(kernel.allowed) <= 4 else "not " + "|".join(sorted(missing))


def interleaved(kernels):
    """Interleaves the classes, so that a time limit cuts all of them alike."""
    kinds = {}
    for kernel in kernels:
        kinds.setdefault(kernel.kind, []).append(kernel)
    share = {id(k): (i + 0.5) / len(group) for group in kinds.values() for i, k in enumerate(group)}
    return sorted(kernels, key=lambda k: share[id(k)])


def run_all(runner, kernels, options):
    end = time.monotonic() + options.seconds if options.seconds else float("inf")
    counts, levels = {}, set()

    def one(kernel):
        return None if time.monotonic() > end else runner.judge(kernel)

    print(row("kernel", "task", "expected", "got", "reason", "s", ""))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for kernel, result in zip(kernels, pool.map(one, kernels)):
            status = result[0] if result else "NOT-RUN"
            counts[status] = counts.get(status, 0) + 1
            if result:
                levels.add(result[4])
            if result and not (options.quiet and status == "OK"):
                print(row(kernel.name, kernel.task, expected_text(kernel), result[1], result[2], f"{result[3]:.1f}", status),
                      flush=True)
    return counts, levels - {""}


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=os.environ.get("KERNELEVOLVE"), help="default: $KERNELEVOLVE")
    parser.add_argument("--corpus", type=pathlib.Path, help="a folder of kernels; default: all of our own")
    parser.add_argument("--shared", action="store_true", help="the corpus is the folder $KE_CHEATS; 77 when it is absent")
    parser.add_argument("--match", default="", help="only kernels whose name contains this")
    parser.add_argument("--kind", default="", help="only kernels of this class")
    parser.add_argument("--jobs", type=int, default=1, choices=(1, 2))
    parser.add_argument("--user", help="run as this user (needs root)")
    parser.add_argument("--level", choices=("namespaces", "landlock", "rlimits"), help="sandbox level instead of the best")
    parser.add_argument("--only", choices=("correctness", "timing"), help="a part of the judging, but of class timed; default: all")
    parser.add_argument("--seconds", type=float, default=0, help="start no further kernel after this time; 0: all")
    parser.add_argument("--quiet", action="store_true", help="leave out the rows that are OK")
    parser.add_argument("--source", action="store_true", help="print the sources of the chosen kernels and end")
    parser.add_argument("--list", action="store_true", help="print the manifest of the corpus and end")
    return parser.parse_args()


def chosen(options):
    if options.shared:
        folder = os.environ.get("KE_CHEATS", "")
        if not folder or not pathlib.Path(folder, "MANIFEST.tsv").is_file():
            print(f"SKIP: KE_CHEATS = '{folder}' is no folder with a MANIFEST.tsv")
            sys.exit(SKIP)
        options.corpus = pathlib.Path(folder)
    kernels = corpus.load(options.corpus) if options.corpus else corpus.own()
    return [k for k in kernels if options.match in k.name and options.kind in ("", k.kind)]


def check_manifest():
    """Checks that MANIFEST.tsv matches the headers that it is written from."""
    manifest = corpus.HERE / "MANIFEST.tsv"
    if manifest.read_text() != corpus.manifest_text(corpus.own()):
        sys.exit(f"{manifest} is stale: run.py --list > MANIFEST.tsv")


def main():
    options = parse()
    kernels = chosen(options)
    if options.source:
        sys.stdout.buffer.writelines(kernel.source for kernel in kernels)
        return 0
    if options.list:
        sys.stdout.write(corpus.manifest_text(kernels))
        return 0
    if not options.corpus:
        check_manifest()
    if not options.binary or not os.access(options.binary, os.X_OK):
        sys.exit(f"no program '{options.binary}': give --binary or KERNELEVOLVE")
    options.binary = str(pathlib.Path(options.binary).resolve())
    children.adopt_orphans()
    with open(pathlib.Path(tempfile.gettempdir()) / "ke_cheats.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # canaries are in shared places: one run at a time
        return run_in_folder(kernels, options)


def run_in_folder(kernels, options):
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ke_cheats_", ignore_cleanup_errors=True) as parent:
        folder = pathlib.Path(parent, "run")
        folder.mkdir()
        home = os.environ.get("HOME", "/tmp")
        if options.user:
            user = pwd.getpwnam(options.user)
            home = user.pw_dir
            os.chmod(parent, 0o755)
            os.chown(folder, user.pw_uid, user.pw_gid)
        places = [place for place in (home, "/tmp", parent) if os.access(place, os.W_OK)]
        with canaries.Canaries(places) as planted:
            counts, levels = run_all(Runner(options, folder, planted), interleaved(kernels), options)
    bad = counts.get("HOLE", 0) + counts.get("REJECTED-GOOD", 0)
    summary = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"{len(kernels)} kernels: {summary}; sandbox level {'/'.join(sorted(levels)) or 'unknown'}; "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if bad or not counts.get("OK") else 0


if __name__ == "__main__":
    sys.exit(main())

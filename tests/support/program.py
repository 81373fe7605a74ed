"""The program under test: calls in a fresh folder, rows of its runs, processes that are killed, and the end of a test."""
import contextlib
import gzip
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import traceback

BINARY = os.environ.get("KERNELEVOLVE", "")
SOURCE = pathlib.Path(os.environ.get("KE_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("KE_BUILD", ""))
RECORDINGS = SOURCE / "configs/recordings"
# Exit codes of the program.
NEGATIVE, USAGE, DEVICE, PROVIDER, STORE, WAITING, NOTHING_JUDGED = 1, 2, 4, 5, 7, 8, 9


# ---- files and calls ----

def fresh_folder(name):
    """An empty folder, in which this test works from here on."""
    folder = pathlib.Path(name).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.chdir(folder)
    return folder


def write(files, folder="."):
    """Writes texts by their paths, with the folders that these need."""
    for name, text in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def outcome(*words, timeout=500, cwd=None, **variables):
    """(exit code, standard output, standard error) of a command, with these variables in its environment."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **variables})
    return done.returncode, done.stdout, done.stderr


def call(*words, **how):
    return outcome(BINARY, *words, **how)


def must(*words, codes=(0,), **how):
    """Standard output of a call, which must end with one of the codes."""
    code, out, err = call(*words, **how)
    assert code in codes, (words, code, out[-3000:], err[-3000:])
    return out


def json_of(*words, **how):
    return json.loads(must(*words, "--json", **how))


def refused(words, *parts, code=USAGE, **how):
    """Standard error of a call that ends with the code and names all parts."""
    got, out, err = call(*words, **how)
    assert got == code, (words, got, out, err)
    for part in parts:
        assert part in err, (words, part, err)
    return err


def says(words, *parts, code=0, **how):
    """Both output streams of a call that ends with the code and names all parts."""
    got, out, err = call(*words, **how)
    assert got == code, (words, got, out, err)
    for part in parts:
        assert part in out + err, (words, part, out, err)
    return out + err


# ---- runs ----

def show(run):
    return json_of("show", run)["runs"][0]


def verify(run, *words):
    """The report of `verify`, by which the run must be good."""
    report = json_of("verify", run, *words)
    report = report["runs"][0] if "runs" in report else report
    assert report["ok"], report
    return report


def histories(folder):
    """{file: history hash} of the runs of a sweep."""
    return {pathlib.Path(run["file"]).name: run["history_hash"] for run in json_of("status", folder)["runs"]}


def verify_offline(run):
    """(history hash of a replay, whether strace saw that it opens no socket and starts no program)"""
    if shutil.which("strace") is None:
        return verify(run, "--replay")["history_hash"], False
    trace = pathlib.Path("trace")
    code, out, err = outcome("strace", "-f", "-e", "trace=socket,connect,execve", "-o", trace, BINARY, "verify", "--replay",
                             "--json", run)
    calls = trace.read_text()
    assert code == 0 and json.loads(out)["ok"], (out, err)
    assert "socket(" not in calls and calls.count("execve(") == 1, calls
    return json.loads(out)["history_hash"], True


def unpack_recording(name, folder):
    """The run or cassette of that name that ships with the project."""
    path = pathlib.Path(folder, pathlib.Path(name).name)
    path.write_bytes(gzip.decompress((RECORDINGS / f"{name}.gz").read_bytes()))
    return path


def run_file(folder):
    return next(pathlib.Path(folder).glob("*.kev"))


def rows(run, query, *values):
    """Rows of a run's file, or of the one that its folder holds."""
    path = run_file(run) if pathlib.Path(run).is_dir() else run
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.execute(query, values).fetchall()


def edit(file, *statements):
    """Changes a run's file behind the program's back. A statement with values is a pair."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as database:
        for one in statements:
            database.execute(*([one] if isinstance(one, str) else one))


def count_rows(run, table):
    """0 while the run begins."""
    try:
        return rows(run, f"SELECT count(*) FROM {table}")[0][0]
    except (StopIteration, sqlite3.OperationalError):
        return 0


# ---- processes ----

def start(*words, before=(), **how):
    """A process of the program with its own process group, whose output nobody reads. `before`: words ahead of it."""
    usual = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    return subprocess.Popen([*before, BINARY, *map(str, words)], **{**usual, **how})


def wait_until(condition, what, patience_s=60, pause_s=0.01):
    """The value of the condition, once it is true."""
    end = time.monotonic() + patience_s
    while not (found := condition()):
        assert time.monotonic() < end, f"waited {patience_s} s for {what}"
        time.sleep(pause_s)
    return found


def kill_when(process, condition, patience_s=60):
    """kill -9 of a process group once the condition holds, until when the process must run."""
    wait_until(lambda: process.poll() is not None or condition(), "the moment of a kill", patience_s)
    assert process.poll() is None, "it was over too soon"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def processes():
    """{id: (name, state, id of its parent)} of all processes."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, rest = stat.read_text().rsplit(")", 1)
            state, parent = rest.split()[:2]
            found[int(stat.parent.name)] = name.split("(", 1)[1], state, int(parent)
    return found


def descendants(root):
    """Ids of the processes below a process."""
    living, found = processes(), [root]
    for pid in found:
        found += [child for child, (_, _, parent) in living.items() if parent == pid]
    return found[1:]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


# ---- ends ----

def raises(kind, ask, *parts):
    """The error of the kind that asking raises, whose text names all parts."""
    try:
        ask()
    except kind as error:
        for part in parts:
            assert part in str(error), (part, str(error))
        return error
    raise AssertionError(f"no {kind.__name__}: {parts}")


class Skipped(Exception):
    """A part of a test cannot run here."""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def carry_out(*tests, given=()):
    """Carries out the tests that the command line names, or all, with what is given to each, and ends: 1 where one
    failed, 77 where a part was skipped."""
    wanted, code = sys.argv[1:], 0
    for test in [one for one in tests if not wanted or one.__name__ in wanted]:
        begin = time.monotonic()
        try:
            test(*given)
            print(f"ok {test.__name__}, {time.monotonic() - begin:.1f} s", flush=True)
        except Skipped as reason:
            code = code or 77
            print(f"skipped {test.__name__}: {reason}", flush=True)
        except Exception:
            code = 1
            print(f"FAILED {test.__name__}\n{traceback.format_exc()}", flush=True)
    sys.exit(code)

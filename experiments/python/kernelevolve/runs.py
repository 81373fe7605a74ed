"""Run files (*.kev) as pandas data frames. Needs sqlite3 and pandas; the program is not needed and nothing is written.

`open` takes run files, folders of them and folders of sweeps. Each frame is read when it is first asked for, in one pass
over the files, and `Runs.load` reads several in one; COLUMNS says what every column holds. NaN stands for a number that
there is not.
"""
import concurrent.futures
import difflib
import fcntl
import glob
import hashlib
import itertools
import json
import multiprocessing
import os
import pathlib
import sqlite3
import struct
import urllib.parse

import numpy as np
import pandas as pd

APPLICATION, SCHEMA = 0x4B45766F, 2  # PRAGMA application_id and user_version of a run file
INDEX_SCHEMA = "kernelevolve-sweep-index/1"
NOT_BEGUN = "holds no run yet"
SIMULATED = {"function", "landscape", "replay"}  # kinds of device on which nothing is timed

RUN_COLUMNS = {
    "file": "path of the run file", "arm": "arm of the sweep; without a sweep the file's name up to the first dot",
    "task": "name of the task", "seed": "seed of the search",
    "state": "done, running or interrupted", "stop_reason": "why the search ended; '' while it goes on",
    "proposals": "committed candidates", "evaluations": "measured candidates",
    "found": "whether any kernel was valid", "best": "highest objective seen in the search; NaN if no kernel was valid",
    "champion": "logical id (step.island.slot) of the kernel chosen at the end; '' if there is none",
    "objective": "anchor, median or optimum: what objectives are ratios to; '' if they are no ratios",
    "device": "what the kernels ran on; 'simulated' if nothing was timed", "hardware": "processor of the host",
    "host": "name of the host", "program": "SHA-256 of the program that ran, the first session's",
    "category": "what the task says of its operation: op_type, else category; ''", "threads": "of the kernels; NaN if not stated",
    "peak_flops_per_s": "highest measured arithmetic rate of one core or of the device",
    "search_s": "seconds of searching over all sessions", "config_id": "SHA-256 of the configuration, 64 digits",
    "config": "the configuration: `path = value` lines, defaults included"}

KEYS = {"run": "row of the run in `runs`", "arm": "as in `runs`", "task": "as in `runs`", "seed": "as in `runs`"}

STEP_COLUMNS = {
    "step": "number of the commit, from 0", "island": "island that asked", "proposals": "candidates committed so far",
    "evaluations": "candidates measured so far", "seconds": "since the first commit",
    "device_seconds": "spent so far on compiling and timing, s", "best": "highest objective so far; NaN before the first valid kernel",
    "filled": "filled cells of the common archive", "qd_score": "sum of the objectives of the common archive's elites"}

# Name of a frame -> (SQL, {column: what it holds}); columns stand in the order of the SELECT.
ID = "c.step || '.' || c.island || '.' || c.slot"
PLACE = ("CASE a.archive WHEN 'passive' THEN 'common' ELSE 'configured' END AS place, "
         "CASE a.archive WHEN 'passive' THEN -1 ELSE s.island END AS island")
# The last change of each cell, as in the view v_archive, whose window function takes twice as long.
ELITES = (f"SELECT {PLACE}, a.cell, a.challenger_id, max(a.step_idx << 24 | a.position) FROM archive_event a JOIN step s ON s.idx = a.step_idx "
          "WHERE a.status IN ('new_cell', 'improved') GROUP BY 1, 2, 3")
FLOORS = "(SELECT workload, min(floor_ns) AS floor FROM workload_timing WHERE floor_ns > 0 GROUP BY workload)"
KNOWN = "v.speedup > 0 AND v.note <> 'not resolved'"  # as in the JSON of `show`
# CROSS JOIN keeps the order in which SQLite reads the tables: from candidates, whose rows are in order.
QUERIES = {
    "candidates": (
        f"SELECT {ID}, c.step_idx, c.island, c.operator, CASE c.outcome WHEN 'kernel' THEN e.verdict ELSE c.outcome END, "
        "CASE c.outcome WHEN 'kernel' THEN e.reason WHEN 'no_child' THEN c.no_child_reason ELSE c.duplicate_kind END, "
        "c.kernel_name, CASE WHEN e.verdict = 'ok' AND typeof(e.objective) = 'real' THEN e.objective END, e.ci_low, e.ci_high, "
        "e.measured, c.genome_id, g.source_id, c.id FROM candidate c JOIN evaluation e ON e.candidate_id = c.id "
        "LEFT JOIN genome g ON g.id = c.genome_id ORDER BY c.id",
        {"candidate": "logical id: step.island.slot", "step": "number of its commit", "island": "island that asked for it",
         "operator": "what proposed it; '' for a seed", "verdict": "ok, why it failed, no_child or duplicate",
         "reason": "reason code of the verdict", "kernel": "file that its source stems from",
         "objective": "as seen in the search, higher is better; NaN unless ok", "ci_low": "95 % interval of the objective",
         "ci_high": "its upper end", "measured": "1 if it counts as an evaluation", "genome": "row of its genome",
         "source": "row of its source", "id": "row number in the file"}),
    "parents": (
        f"SELECT {ID}, p.step || '.' || p.island || '.' || p.slot, r.role FROM parent r JOIN candidate c ON c.id = r.candidate_id "
        "JOIN candidate p ON p.id = r.parent_id ORDER BY c.id, r.position",
        {"candidate": "child", "parent": "its parent", "role": "parent, inspiration or failed"}),
    "archive": (
        f"SELECT place, l.island, l.cell, {ID}, e.objective FROM ({ELITES}) l JOIN candidate c ON c.id = l.challenger_id "
        "JOIN evaluation e ON e.candidate_id = c.id UNION ALL "
        "SELECT name, -1, cell, '', objective FROM numeric_elite, (SELECT 'configured' AS name UNION SELECT 'common') ORDER BY 1 DESC, 2, 3",
        {"archive": "'configured': what the search used; 'common': the grid that every run of the sweep fills alike",
         "island": "of the configured archive; -1 for the common one", "cell": "number of the cell, the last axis fastest",
         "candidate": "the elite; '' in a numeric search", "objective": "of the elite"}),
    "archive_events": (
        f"SELECT a.step_idx, {PLACE}, a.cell, {ID}, a.status, a.clipped, e.objective FROM archive_event a "
        "JOIN step s ON s.idx = a.step_idx JOIN candidate c ON c.id = a.challenger_id JOIN evaluation e ON e.candidate_id = c.id "
        "ORDER BY a.step_idx, a.position",
        {"step": "number of the commit", "archive": "configured or common", "island": "-1 for the common one", "cell": "number of the cell",
         "candidate": "that was offered", "status": "new_cell, improved, rejected or duel_needed",
         "clipped": "1 if a measure lay outside of its axis", "objective": "of the candidate"}),
    "axes": (
        "SELECT CASE b.archive WHEN 'passive' THEN 'common' ELSE 'configured' END, b.position, a.measure, a.unit, b.bin, b.label "
        "FROM axis a JOIN axis_bin b USING (archive, position) ORDER BY b.archive, b.position, b.bin",
        {"archive": "configured or common", "position": "of the axis", "measure": "what it measures; cvt(...) for centroids",
         "unit": "of the measure", "bin": "number of the bin", "label": "its edges with four digits, its name, or its centroid in [0, 1]"}),
    "measures": (
        f"SELECT {ID}, m.axis, m.value FROM candidate c CROSS JOIN evaluation e ON e.candidate_id = c.id CROSS JOIN evaluation_measure m "
        "ON m.candidate_id = c.id WHERE e.verdict = 'ok' ORDER BY c.id, m.axis",
        {"candidate": "a valid one", "measure": "name of the measure", "value": "in its unit"}),
    "champions": (
        f"SELECT {ID}, v.candidate_id = coalesce((SELECT champion_id FROM stop), 0), v.baseline, v.role, "
        f"{', '.join(f'CASE WHEN {KNOWN} THEN v.{column} END' for column in ('speedup', 'ci_low', 'ci_high'))}, v.note FROM verified v "
        "JOIN candidate c ON c.id = v.candidate_id ORDER BY v.candidate_id, v.role, v.speedup > 0 DESC, v.speedup, v.baseline",
        {"candidate": "a verified kernel", "champion": "1 if it was chosen at the end", "baseline": "opponent; the strongest of a role stands first",
         "role": "bench, validation or holdout", "speedup": "opponent's time over the kernel's, over all workloads of the role; "
         "NaN if it was not verified or is not resolved, as `note` says", "ci_low": "95 % interval of the speedup", "ci_high": "its upper end",
         "note": "why there is no speedup"}),
    "work": (
        f"SELECT workload, role, bytes, flops, bytes / floor * 1e9 FROM workload_cost LEFT JOIN {FLOORS} USING (workload) ORDER BY position",
        {"workload": "its shape", "role": "bench, validation or holdout", "bytes": "that a call must move, by the task's own account",
         "flops": "operations of a call; 0 = not declared", "bandwidth": "highest measured for this workload, bytes/s"}),
    "workloads": (
        "SELECT f.baseline, f.role, t.workload, t.speedup, t.ci_low, t.ci_high, t.candidate_ns, t.opponent_ns, t.floor_ns, w.bytes, w.flops, "
        "w.bytes / floor * 1e9 FROM stop s JOIN verified f ON f.candidate_id = s.champion_id JOIN attempt a ON a.key = f.fact_key "
        f"JOIN workload_timing t ON t.attempt_id = a.id AND t.role = f.role LEFT JOIN workload_cost w USING (workload) LEFT JOIN {FLOORS} "
        "USING (workload) ORDER BY f.baseline, f.role, t.position",
        {"baseline": "opponent of the champion", "role": "of the workload", "workload": "its shape", "speedup": "opponent's time over the champion's",
         "ci_low": "95 % interval of the speedup", "ci_high": "its upper end", "candidate_ns": "time of one call of the champion",
         "opponent_ns": "time of one call of the opponent", "floor_ns": "time that moving the compulsory bytes takes",
         "bytes": "as in `work`", "flops": "as in `work`", "bandwidth": "as in `work`"}),
    "timings": (
        f"SELECT {ID}, t.workload, t.role, t.candidate_ns, w.bytes, w.flops FROM candidate c CROSS JOIN evaluation e ON e.candidate_id = c.id "
        "CROSS JOIN evidence v ON v.candidate_id = c.id CROSS JOIN attempt a ON a.key = v.key CROSS JOIN workload_timing t ON t.attempt_id = a.id "
        "JOIN workload_cost w USING (workload) WHERE c.outcome = 'kernel' AND e.verdict = 'ok' AND a.purpose = 'screen' "
        "AND t.candidate_ns > 0 AND EXISTS (SELECT 1 FROM workload_timing) ORDER BY c.id, w.position",
        {"candidate": "a kernel timed in the search", "workload": "its shape", "role": "of the workload", "ns": "time of one call",
         "bytes": "as in `work`", "flops": "as in `work`"}),
    "costs": (
        "SELECT purpose, sum(jobs), sum(compile_s), sum(lane_s), sum(judge_cpu_s), total(dollars), 0, 0 FROM v_cost WHERE purpose <> 'exchange' "
        "GROUP BY purpose UNION ALL SELECT 'exchange', count(*), 0, 0, 0, total(dollars), total(input_tokens), total(output_tokens) FROM exchange",
        {"purpose": "build, screen, duel, verify, sanitize, or exchange with a language model", "jobs": "number", "compile_s": "seconds of compiling",
         "lane_s": "seconds on the exclusive device", "judge_cpu_s": "seconds of the judge", "dollars": "price", "input_tokens": "sent to models",
         "output_tokens": "received"}),
    "exchanges": (
        "SELECT coalesce(nullif(x.model_returned, ''), x.model), x.status, x.input_tokens, x.output_tokens, x.cached_tokens, x.reasoning_tokens, "
        "x.dollars, (SELECT min(c.step_idx) FROM evidence v JOIN candidate c ON c.id = v.candidate_id WHERE v.key = x.key) "
        "FROM exchange x ORDER BY x.id",
        {"model": "that answered", "status": "ok, or why there is no answer", "input_tokens": "sent", "output_tokens": "received",
         "cached_tokens": "of those sent", "reasoning_tokens": "of those received", "dollars": "price", "step": "first commit that used it"}),
}
# Kernels that a model had timed by its tools: evaluations without a candidate of their own.
TRIALS = ("SELECT c.step_idx AS step, count(*) AS trials FROM (SELECT DISTINCT v.candidate_id AS candidate, a.build_id FROM evidence v JOIN attempt a "
          "ON a.key = v.key JOIN evaluation e ON e.candidate_id = v.candidate_id WHERE EXISTS (SELECT 1 FROM exchange_setting WHERE name = 'tools') "
          "AND a.purpose = 'screen' AND a.opponent <> '' AND a.build_id IS NOT NULL AND a.build_id IS NOT e.build_id AND a.verdict NOT IN "
          "('lost', 'unreliable', 'timeout')) t JOIN candidate c ON c.id = t.candidate GROUP BY c.step_idx")
BEST = "CASE WHEN e.verdict = 'ok' AND typeof(e.objective) = 'real' THEN e.objective END"
BEFORE = "coalesce((SELECT {0} FROM numeric_batch WHERE step_idx = n.step_idx - 1), 0)"
# What each step added: rows of several kinds, summed by step. `accumulated` makes STEP_COLUMNS of it.
STEPS = f"""SELECT step, max(island), sum(proposals), sum(evaluations), max(ms), sum(ns), max(best), sum(filled), sum(qd_score) FROM (
SELECT idx AS step, island, coalesce(solutions, 0) AS proposals, coalesce(solutions, 0) AS evaluations, committed_ms AS ms, 0 AS ns, best,
    coalesce(filled - {BEFORE.format("filled")}, 0) AS filled, coalesce(qd_score - {BEFORE.format("qd_score")}, 0) AS qd_score
    FROM step LEFT JOIN numeric_batch n ON n.step_idx = idx
UNION ALL SELECT c.step_idx, NULL, 1, e.measured, NULL, 0, {BEST}, 0, 0 FROM candidate c JOIN evaluation e ON e.candidate_id = c.id
UNION ALL SELECT min(c.step_idx), NULL, 0, 0, NULL, a.compile_ns + a.lane_ns, NULL, 0, 0 FROM evidence v JOIN candidate c ON c.id = v.candidate_id
    JOIN attempt a ON a.key = v.key GROUP BY a.id
UNION ALL SELECT a.step_idx, NULL, 0, 0, NULL, 0, NULL, lag(e.objective) OVER w IS NULL, e.objective - coalesce(lag(e.objective) OVER w, 0)
    FROM archive_event a JOIN evaluation e ON e.candidate_id = a.challenger_id
    WHERE a.archive = 'passive' AND a.status IN ('new_cell', 'improved') WINDOW w AS (PARTITION BY a.cell ORDER BY a.step_idx, a.position)
UNION ALL SELECT step, NULL, 0, trials, NULL, 0, NULL, 0, 0 FROM ({TRIALS})) GROUP BY step ORDER BY step"""
QUERIES["steps"] = STEPS, STEP_COLUMNS
NUMBERS = {"objective", "ci_low", "ci_high", "value", "speedup", "candidate_ns", "opponent_ns", "floor_ns", "bytes", "flops", "bandwidth", "dollars",
           "ns", "compile_s", "lane_s", "judge_cpu_s", "best", "qd_score"}
WORDS = {"operator", "verdict", "reason", "kernel", "archive", "status", "measure", "unit", "role", "baseline", "workload", "purpose", "model"}
COLUMNS = {"runs": RUN_COLUMNS, **{name: {**KEYS, **columns} for name, (_, columns) in QUERIES.items()}}
AT_A_TIME = 100  # files whose rows are held as tuples


class RunError(Exception):
    """What cannot be read or compared; `code` is the exit code that the command ends with."""

    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code


def number(value):
    """A float as stored: SQLite lacks NaN and -0.0, which are NULL and eight bytes."""
    if isinstance(value, bytes):
        return struct.unpack("<d", value)[0]
    return np.nan if value is None else float(value)


def rows(database, sql, *values):
    """Of a query; none where the file is of a time before one of its tables."""
    try:
        return database.execute(sql, values).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return []
        if "decode" not in str(error) or database.text_factory is not str:
            raise
        database.text_factory = lambda text: text.decode(errors="replace")  # slower: only for files with bytes that are no text
        return rows(database, sql, *values)


def query(path, sql, *values):
    """Rows of one query of a run file."""
    database = connect(path)
    found = rows(database, sql, *values)
    database.close()
    return found


def is_being_written(path):
    """Whether a living process holds the lock file beside the run."""
    try:
        with open_file(f"{path}.lock", "rb") as lock:
            question = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
            return struct.unpack("hhqqi4x", fcntl.fcntl(lock, fcntl.F_OFD_GETLK, question))[0] != fcntl.F_UNLCK
    except (OSError, AttributeError):
        return False


def connect(path):
    """A read-only connection; RunError where the file is no run file of this version."""
    if not os.path.isfile(path):
        raise RunError(f"{path}: no such run file", 7)
    journal = os.path.getsize(f"{path}-wal") if os.path.exists(f"{path}-wal") else 0
    # A closed file is opened as immutable, so that SQLite leaves nothing beside it.
    how = "mode=ro" if journal or is_being_written(path) else "immutable=1"
    try:
        database = sqlite3.connect(f"file:{urllib.parse.quote(os.fspath(path))}?{how}", uri=True)
        kind, version = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    except sqlite3.Error as error:
        raise RunError(f"{path}: {error}", 7) from error
    why = ""
    if kind == 0 and version == 0 and not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        why = NOT_BEGUN
    elif kind != APPLICATION:
        why = "is a database of another program, not a run file"
    elif version != SCHEMA:
        why = (f"was written by {'an older' if version < SCHEMA else 'a newer'} version (schema {version}, this program reads {SCHEMA})"
               + ("; a program from before 0.1.0 reads it" if version < SCHEMA else ""))
    if why:
        database.close()
        raise RunError(f"{path}: {why}", 7)
    return database


def read_run(path):
    """The row of a run in `runs`, without its arm."""
    database = connect(path)
    try:
        header = rows(database, "SELECT config_text, config_id, task, seed FROM run")
        if not header:
            raise RunError(f"{path}: {NOT_BEGUN}", 7)
        config, config_id, task, seed = header[0]
        stop = rows(database, "SELECT s.reason, c.step || '.' || c.island || '.' || c.slot FROM stop s LEFT JOIN candidate c ON c.id = s.champion_id")
        sessions = rows(database, "SELECT host, hardware, binary_hash FROM session ORDER BY id")
        labels = dict(rows(database, "SELECT name, value FROM task_label"))
        proposals, evaluations, best = rows(
            database, f"SELECT count(*), total(e.measured), max({BEST}) FROM candidate c JOIN evaluation e ON e.candidate_id = c.id")[0]
        if rows(database, "SELECT 1 FROM exchange_setting WHERE name = 'tools' LIMIT 1"):
            evaluations += sum(count for _, count in rows(database, TRIALS))
        numeric = rows(database, "SELECT best, (SELECT sum(solutions) FROM numeric_batch) FROM numeric_batch ORDER BY step_idx DESC LIMIT 1")
        if numeric:
            best, proposals = number(numeric[0][0]), numeric[0][1]
            evaluations = proposals
        kind = option(config, "device.kind")
        reason = stop[0][0] if stop else ""
        host, hardware, program = sessions[0] if sessions else ("", "", "")
        return {
            "file": os.fspath(path), "arm": "", "task": task, "seed": seed,
            "state": "running" if is_being_written(path) else "done" if stop and reason != "interrupted" else "interrupted",
            "stop_reason": reason, "proposals": proposals, "evaluations": int(evaluations), "found": best is not None, "best": number(best),
            "champion": stop[0][1] or "" if stop else "", "objective": objective_base(kind, config),
            "device": device_of(database, kind, hardware), "hardware": hardware, "host": host, "program": program,
            "category": labels.get("op_type", labels.get("category", "")), "threads": float(labels.get("threads", "nan")),
            "peak_flops_per_s": number(rows(database, "SELECT max(flops_per_s) FROM ceiling")[0][0]
                                       if rows(database, "SELECT 1 FROM ceiling LIMIT 1") else None),
            "search_s": rows(database, "SELECT total(max(0, (SELECT max(committed_ms) FROM step WHERE session_id = s.id) - s.started_ms)) / 1000 "
                             "FROM session s")[0][0],
            "config_id": (config_id or b"").hex(), "config": config,
            "makers": sorted({(host, hardware, classes_of(database), program) for host, hardware, program in sessions})}
    finally:
        database.close()


def read_runs(files):
    """Of each file its row, or why there is none."""
    def one(file):
        try:
            return read_run(file)
        except RunError as error:
            return error
    return list(map(one, files))


def objective_base(kind, config):
    if kind == "function":
        return ""
    if kind != "landscape":
        return "anchor"
    return "median" if option(config, "device.reference") == "median" else "optimum"


def objective_label(runs):
    """The objective of runs as the label of an axis."""
    bases = set(runs.runs.objective)
    base = bases.pop() if len(bases) == 1 else ""
    return {"": "objective", "optimum": "objective (1 = optimum)"}.get(base, f"speedup over the {base}")


def device_of(database, kind, hardware):
    """What timed the kernels: a processor by its host's name, all else by the device's own."""
    several = rows(database, "SELECT kind, device_class FROM device ORDER BY position")
    recorded = several or rows(database, "SELECT kind, device_class FROM evaluator")
    if kind in SIMULATED:
        return "simulated"
    names = [hardware if own == "cpu" else text.split(";")[0] for own, text in recorded]
    return ", ".join(dict.fromkeys(names)) or hardware


def classes_of(database):
    """Of the devices, as the evaluators describe themselves."""
    several = rows(database, "SELECT DISTINCT device_class FROM device") or rows(database, "SELECT device_class FROM evaluator")
    return ", ".join(sorted(text for text, in several))


def option(config, path):
    """Value of an option in the configuration of a run; '' if it has none."""
    for line in config.split("\n"):
        if line.startswith(f"{path} = "):
            return line[len(path) + 3:]
    return ""


def accumulated(steps):
    """STEP_COLUMNS from what STEPS says of each step alone."""
    by_run = steps.groupby("run")
    sums = by_run[["proposals", "evaluations", "device_seconds", "filled", "qd_score"]].cumsum()
    return steps.assign(**sums.assign(device_seconds=sums.device_seconds / 1e9), best=by_run.best.cummax().groupby(steps.run).ffill(),
                        seconds=(steps.seconds - by_run.seconds.transform("first")) / 1000)


def column_of(name, values):
    """Numbers as they are, texts as a Categorical."""
    if name in NUMBERS:
        try:
            return np.array(values, dtype=float)
        except ValueError:
            return np.array([number(value) for value in values])
    found = pd.Series(values)
    return pd.Categorical(found) if found.dtype == object else found.to_numpy()


def read_frames(names, files):
    """{frame: (number of rows by file, {column: values})}"""
    found = {name: ([], []) for name in names}
    for file in files:
        database = connect(file)
        for name, (counts, every) in found.items():
            own = rows(database, QUERIES[name][0])
            counts.append(len(own))
            every += own
        database.close()
    return {name: (counts, {column: column_of(column, values) for column, values in zip(QUERIES[name][1], zip(*every))})
            for name, (counts, every) in found.items()}


def joined(name, parts):
    """One column; words stay a Categorical."""
    if not isinstance(parts[0], pd.Categorical):
        return np.concatenate(parts)
    whole = pd.api.types.union_categoricals(parts, sort_categories=True)
    return whole if name in WORDS else np.asarray(whole, dtype=object)


def in_parts(function, files, *given):
    """[function(*given, part)] of all parts of the files, by a process a core where there are many."""
    parts, cores = [files[at:at + AT_A_TIME] for at in range(0, len(files), AT_A_TIME)], len(os.sched_getaffinity(0))
    if len(parts) < 4 or cores < 2:
        return [function(*given, part) for part in parts]
    with concurrent.futures.ProcessPoolExecutor(min(cores, len(parts)), multiprocessing.get_context("fork")) as pool:
        return list(pool.map(function, *([one] * len(parts) for one in given), parts))


def read_index(folder):
    """sweep.json of a folder, with the failures noted beside it; None where there is none."""
    path = pathlib.Path(folder, "sweep.json")
    if not path.is_file():
        return None
    try:
        index = json.loads(path.read_text())
        if index["schema"] != INDEX_SCHEMA:
            raise RunError(f"{path}: is an index of another version", 7)
        index["failures"] = {failure["file"]: failure["message"] for failure in index["failures"] + [
            json.loads(pathlib.Path(name).read_text()) for name in sorted(glob.glob(f"{glob.escape(os.fspath(folder))}/failures/*.json"))]}
        return index
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path}: is no index of a sweep: {error}", 7) from error


def list_files(paths):
    """(run file, its arm or '' if its name says it) of files and folders, and the sweep's index if all are one sweep."""
    if len(paths) == 1 and os.path.isdir(paths[0]) and (index := read_index(paths[0])):
        return [(os.path.join(paths[0], run["file"]), run["arm"]) for run in index["runs"]], index
    files = []
    for path in map(os.fspath, paths):
        if not os.path.exists(path):
            raise RunError(f"{path}: no such run file or folder")
        own = [path] if not os.path.isdir(path) else sorted(
            os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names if name.endswith(".kev"))
        if not own:
            raise RunError(f"{path}: no run file (*.kev) here", 7)
        files += [(name, "") for name in own]
    return files, None


class Runs:
    """Runs of one or several files. Frames are attributes; COLUMNS documents them.

    arms      names, in the sweep's order, else sorted by file
    labels    what the sweep calls arms in figures and tables; names of the others stand for themselves
    index     sweep.json of the folder, or None
    missing   {file: reason} of runs that were planned or named and are not in `runs`
    unreadable  why some of those files are no runs that this package reads
    """

    def __init__(self, paths):
        files, self.index = list_files(paths)
        failures = self.index["failures"] if self.index else {}
        found, self.missing, errors, there = [], {}, [], {}
        for file, arm in files:
            name = os.path.basename(file)
            if name in failures:
                self.missing[file] = f"failed: {failures[name]}"
            elif self.index and not os.path.exists(file):
                self.missing[file] = "never started"
            else:
                there[file] = arm or name.split(".")[0]
        for file, own in zip(there, itertools.chain(*in_parts(read_runs, list(there)))):
            if isinstance(own, RunError):
                errors.append(own)
                self.missing[file] = str(own).removeprefix(f"{file}: ")
            else:
                found.append({**own, "arm": there[file]})
        if errors and not found:
            raise errors[0]
        self.unreadable = [str(error) for error in errors if not str(error).endswith(NOT_BEGUN)]
        self.makers = [row.pop("makers") for row in found]  # (host, hardware, device, program) of the sessions of each run
        self.runs = pd.DataFrame(found, columns=list(RUN_COLUMNS))
        self.arms = self.index["arms"] if self.index else list(dict.fromkeys(arm or os.path.basename(file).split(".")[0] for file, arm in files))
        self.labels = (self.index or {}).get("labels", {})

    def __getattr__(self, name):
        if name not in QUERIES:
            raise AttributeError(f"Runs has no frame '{name}'; there are: {', '.join(COLUMNS)}")
        self.load(name)
        return self.__dict__[name]

    def load(self, *names):
        """Reads frames in one pass over the files: all, or those that are named and not read yet."""
        if unknown := [name for name in names if name not in QUERIES]:
            raise RunError(f"there is no frame '{unknown[0]}': {', '.join(QUERIES)}")
        names = [name for name in names or QUERIES if name not in self.__dict__]
        parts = in_parts(read_frames, list(self.runs.file), names) if names else []
        for name in names:
            counts = [count for part in parts for count in part[name][0]]
            columns = [part.pop(name)[1] for part in parts if sum(part[name][0])]
            run = np.repeat(np.arange(len(self.runs)), counts)
            keys = {"run": run, **{key: pd.Categorical(self.runs[key]).take(run) for key in ("arm", "task")}, "seed": self.runs.seed.to_numpy()[run]}
            frame = pd.DataFrame({**keys, **{column: joined(column, [own[column] for own in columns]) if columns else pd.array([])
                                             for column in QUERIES[name][1]}})
            setattr(self, name, accumulated(frame) if name == "steps" and columns else frame)

    def only(self, chosen):
        """The runs where a boolean series over `runs` holds."""
        part = object.__new__(Runs)
        part.index, part.missing, part.arms, part.labels = self.index, dict(self.missing), self.arms, self.labels
        part.unreadable = self.unreadable
        part.runs = self.runs[chosen].reset_index(drop=True)
        part.makers = [own for own, keep in zip(self.makers, chosen) if keep]
        part.__dict__.update({name: self.__dict__[name] for name in QUERIES if name in self.__dict__ and chosen.all()})
        return part

    def options(self, path, missing=None):
        """Value of an option of the configuration by run, as text; `missing` or "" in runs without it. RunError where no run has
        it, unless `missing` is given."""
        values = self.runs.config.map(lambda config: option(config, path) or missing or "")
        if missing is None and not values.any():
            known = sorted({line.split(" = ")[0] for config in self.runs.config for line in config.split("\n") if " = " in line})
            if path not in known:
                near = ", ".join(difflib.get_close_matches(path, known, 5, 0.5)) or ", ".join(known)
                raise RunError(f"no run has the option '{path}'; near it: {near}")
        return values

    def __len__(self):
        return len(self.runs)

    def __repr__(self):
        return f"<{len(self.runs)} runs of arms {', '.join(self.arms)}; {len(self.missing)} missing>"


open_file = open  # the name is that of the package's function below


def open(paths):
    """Runs of a run file, a folder, a sweep's folder, or a list of files and folders. Unreadable ones among several are
    named in `missing`; RunError where there is none to read."""
    return Runs([paths] if isinstance(paths, (str, os.PathLike)) else list(paths))


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()

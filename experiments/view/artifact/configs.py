"""Reads the provenance of run files, and writes their configurations for `kernelevolve run`."""
import collections
import dataclasses
import json
import re
import sqlite3

PLAIN = re.compile(r"[\w.+/-]+|\[[\w.+/-]+(, [\w.+/-]+)*\]")


@dataclasses.dataclass
class Run:
    """One run file: its identity, its evaluator and its costs."""
    name: str          # of the file
    task: str
    seed: int
    config_id: str
    config_text: str   # `path = value` lines
    history_hash: str
    kind: str          # of the evaluator
    device: str
    toolchain: str
    noisy: bool
    machines: list     # (hardware, system, sandbox level)
    models: list       # language models that answered
    seconds: float     # total of all its sessions
    evaluations: int

    @property
    def arm(self):
        return self.name.split(".")[0]

    @property
    def has_facts(self):
        """Searches over vectors of numbers record none."""
        return self.kind != "numeric"


def read_run(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        rows = lambda query: database.execute(query).fetchall()
        task, seed, config_id, text = rows("SELECT task, seed, lower(hex(config_id)), config_text FROM run")[0]
        history = rows("SELECT lower(hex(history_hash)) FROM step ORDER BY idx DESC LIMIT 1")
        evaluators = rows("SELECT kind, device_class, toolchain, noisy FROM evaluator")
        kind, device, toolchain, noisy = evaluators[0] if evaluators else ("numeric", "", "", 0)
        return Run(name=path.name, task=task, seed=seed, config_id=config_id, config_text=text,
                   history_hash=history[0][0] if history else "", kind=kind, device=device, toolchain=toolchain,
                   noisy=bool(noisy),
                   machines=rows("SELECT DISTINCT hardware, kernel, sandbox_level FROM session ORDER BY 1, 2, 3"),
                   models=[model for model, in rows("SELECT DISTINCT model FROM exchange ORDER BY 1")],
                   seconds=rows("SELECT coalesce(sum(stopped_ms - started_ms), 0) / 1000.0 FROM session")[0][0],
                   evaluations=rows("SELECT (SELECT coalesce(sum(measured), 0) FROM evaluation) "
                                    "+ (SELECT coalesce(sum(solutions), 0) FROM numeric_batch)")[0][0])


def tree_of(text):
    """Parses `a.b = value` lines into nested maps; maps whose keys are numbers become lists."""
    tree = {}
    for line in text.splitlines():
        path, _, value = line.partition(" = ")
        if not value:
            continue
        *folders, leaf = path.split(".")
        node = tree
        for folder in folders:
            node = node.setdefault(folder, {})
        node[leaf] = value
    return tree


def yaml_of(node):
    """Writes a map, list or scalar in flow style; quotes ambiguous scalars."""
    if isinstance(node, str):
        return node if PLAIN.fullmatch(node) else json.dumps(node, ensure_ascii=False)
    if node and all(key.isdigit() for key in node):
        return "[" + ", ".join(yaml_of(node[key]) for key in sorted(node, key=int)) + "]"
    return "{" + ", ".join(f"{key}: {yaml_of(value)}" for key, value in node.items()) + "}"


def groups_of(runs, folder):
    """{file of a configuration: its runs}. The name `<arm>.<config>.yaml` keeps the arm of new
    runs."""
    groups = collections.defaultdict(list)
    for run in runs:
        groups[folder / f"{run.arm}.{run.config_id[:8]}.yaml"].append(run)
    return groups


def write(path, text):
    lines = [f"{key}: {yaml_of(value)}\n" for key, value in tree_of(text).items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("schema: kernelevolve/1\n" + "".join(lines))


def task_words(runs_folder, run):
    """Argument of `kernelevolve run` that names a run's task, from its folder's index; empty for
    functions."""
    index = json.loads((runs_folder / "index.json").read_text())
    place = next((one["task_folder"] for one in index["runs"] if one["file"] == run.name), "")
    return [f"task={place}"] if place else []

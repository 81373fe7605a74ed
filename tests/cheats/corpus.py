"""Reads a folder of kernels: the project's (many in a file, facts in each one's header) or the
shared format (MANIFEST.tsv)."""
import csv
import dataclasses
import functools
import itertools
import pathlib
import re

import generate

HERE = pathlib.Path(__file__).resolve().parent
TASKS = {"axpb": "conformance/axpb", "softmax1d": "conformance/softmax1d", "sum1d": "conformance/sum1d"}
SHARED_SPECS = {"axpb": "axpb", "softmax": "softmax1d", "sum": "sum1d"}
FIELDS = ("NAME", "TASK", "CLASS", "FLAGS", "USES", "ALLOW", "TRIES")
REQUIRED = set(FIELDS) - {"FLAGS", "USES"}
VERDICTS = set("ok rejected compile_error compile_limit load_error runtime_error timeout resource_limit wrong_result "
               "nondeterministic suspicious unreliable".split())


@dataclasses.dataclass
class Kernel:
    name: str
    task: str
    kind: str
    flags: str
    allowed: frozenset
    tries: str
    source: bytes
    most_speedup: float = float("inf")  # `ok` is wrong if the speedup is surely at least that

    @property
    def good(self):
        return self.allowed == {"ok"}

    @property
    def allowed_words(self):
        """Allowed verdicts in the format of a header, `ok` first."""
        ok = "ok" if self.most_speedup == float("inf") else f"ok<{self.most_speedup:g}"
        return [ok] * ("ok" in self.allowed) + sorted(self.allowed - {"ok"})


def read_header(text):
    """Fields of the comment that opens `text`, and the code below it."""
    lines, fields, last = text.splitlines(keepends=True), {}, None
    for at, line in enumerate(lines):
        if not line.startswith("//"):
            return fields, "".join(lines[at:])
        key, colon, value = line[2:].strip().partition(":")
        if colon and key in FIELDS:
            last, fields[key] = key, value.strip()
        elif last:
            fields[last] = (fields[last] + " " + line[2:].strip()).strip()
    return fields, ""


def sections(path):
    """(fields, common code, own code) of each section: what stands above the first is common to
    all."""
    top, *texts = re.split(r"^(?=// NAME:)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if not texts:
        raise SystemExit(f"{path}:1: no section begins with '// NAME:'")
    common, code = read_header(top)
    for text in texts:
        yield common | read_header(text)[0], code, text


@functools.cache
def helpers():
    """{(name, task): code}; the task of a helper for all tasks is None."""
    return {(field["NAME"], field.get("TASK")): code for field, _, code in sections(HERE / "helpers.cpp")}


def helper(name, kernel):
    for task in (kernel["TASK"], None):
        if (name, task) in helpers():
            return helpers()[name, task]
    raise SystemExit(f"{kernel['NAME']}: helpers.cpp has no '{name}' for {kernel['TASK']}")


def checked(kernel):
    unknown = set(kernel.allowed) - VERDICTS
    if unknown or not kernel.allowed or kernel.task not in TASKS and not (HERE.parents[1] / "configs/tasks" / kernel.task).is_dir():
        raise SystemExit(f"{kernel.name}: unknown verdicts {sorted(unknown)} or task '{kernel.task}'")
    if kernel.most_speedup < float("inf") and kernel.kind != "timed":
        raise SystemExit(f"{kernel.name}: a bound on the speedup needs the class timed, else nothing may be timed")
    return kernel


def allowed_by(text):
    """Parses `ok<1.2|suspicious`: the verdicts, and the speedup from which `ok` is wrong (infinite
    without a bound)."""
    words = text.replace(" ", "").split("|")
    bound = next((word[len("ok<"):] for word in words if word.startswith("ok<")), "inf")
    return frozenset("ok" if word.startswith("ok<") else word for word in words), float(bound)


def own_kernel(path, field, common, code):
    if missing := REQUIRED - field.keys():
        raise SystemExit(f"{path}: {field['NAME']}: no {sorted(missing)}")
    used = "".join(helper(name, field) for name in field.get("USES", "").replace(",", " ").split())
    allowed, most_speedup = allowed_by(field["ALLOW"])
    return checked(Kernel(field["NAME"], field["TASK"], field["CLASS"], field.get("FLAGS", ""), allowed, field["TRIES"],
                          (common + used + code).encode(), most_speedup))


def own_folder(folder):
    kernels = [own_kernel(path, *section) for path in folder.glob("*.cpp") for section in sections(path)]
    kernels.sort(key=lambda kernel: kernel.name)
    for one, other in itertools.pairwise(kernels):
        if one.name == other.name:
            raise SystemExit(f"{folder}: two kernels are named '{one.name}'")
    return kernels


def generated():
    for task, flags, kernels in (("axpb", "", generate.kernels()), ("softmax1d", generate.NATIVE_FLAGS, generate.lost_nans())):
        for name, kind, allowed, tries, source in kernels:
            verdicts, most_speedup = allowed_by(allowed)
            yield checked(Kernel(name, task, kind, flags, verdicts, tries, source, most_speedup))


def own():
    """All kernels of the project: kernels/, good/ and the generated ones."""
    return [*own_folder(HERE / "kernels"), *own_folder(HERE / "good"), *generated()]


def read_table(path=HERE / "table.tsv"):
    """Map from a manifest's verdict to the set of the project's verdicts."""
    rows = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {name: frozenset(verdicts.split("|")) for name, verdicts, _ in rows[1:]}


def shared(folder, table):
    """A corpus of the shared format: name, spec, class, expect, extra_flags, tries."""
    with open(folder / "MANIFEST.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            allowed = frozenset().union(*(table[name] for name in row["expect"].split("|")))
            yield checked(Kernel(row["name"], SHARED_SPECS[row["spec"]], row["class"], row["extra_flags"] or "", allowed,
                                 row["tries"], (folder / (row["name"] + ".cpp")).read_bytes()))


def load(folder):
    """The kernels of `folder`: in the shared format if it has such a MANIFEST.tsv, else the
    project's."""
    manifest = folder / "MANIFEST.tsv"
    if manifest.is_file() and "expect" in manifest.read_text().partition("\n")[0].split("\t"):
        return list(shared(folder, read_table()))
    return own_folder(folder)


def manifest_text(kernels):
    lines = ["name\ttask\tclass\tflags\tallowed\ttries"]
    for k in kernels:
        lines.append("\t".join((k.name, k.task, k.kind, k.flags, "|".join(k.allowed_words), k.tries)))
    return "\n".join(lines) + "\n"

"""Finds where a model's time goes: its groups of operations, their potential gains, and tasks for
the most promising ones.

Times every group on the values that flow through it, in turns with the whole model, one call of
each per round; so the caches are about as the model leaves them. A group's floor is the longer of
two times: moving its inputs and outputs once, and computing its floating-point operations, at the
rates that a copy and a matrix product reach on this device."""

import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys

import torch

from group_module import LOOKUPS, GroupModule
from groups import Grouping, gives, is_closed, is_view, operation, takes
from import_tasks import table_text, task_name
from measure import Clock, medians, peaks
from traced_model import Unfit, bytes_of, device_threads, shape_of, trace
from write_graph import group_function, local_name

SCHEMA = "kernelevolve-needs/2"
IMPORT = str(pathlib.Path(__file__).resolve().parent.parent / "import" / "import_tasks.py")
WORDS = 4  # of a need's name
SHORT = {"scaled_dot_product_attention": "attention", "_native_batch_norm_legit_no_training": "batch_norm",
         "_to_copy": "to"}  # in names


@dataclasses.dataclass
class Need:
    name: str
    module: GroupModule  # of its first occurrence
    occurrences: list  # of GroupModule
    arguments: list  # the tensors that flow into the first occurrence
    figures: dict = dataclasses.field(default_factory=dict)
    reason: str = ""  # why there is no task
    tensors: list = ()  # for each input of the task the module's tensors that it holds, see import_problem()

    def function(self):
        module = self.module
        return group_function(module.nodes, [take.node for take in module.takes], module.gives)


def find_needs(traced):
    """Needs in the order of the graph; runs the model once."""
    values = {node: place.value for node, place in traced.places.items()}
    found, names = {}, set()
    results = traced.results()
    with torch.no_grad():
        for nodes in Grouping(traced).groups():
            taken, given = takes(nodes), gives(nodes, results)
            arguments = [values[node] for node in taken]
            module = GroupModule(traced, nodes, dict(zip(taken, arguments)))
            need = found.setdefault(module.signature(), Need("", module, [], arguments))
            need.name = need.name or _name(module, names)
            need.occurrences.append(module)
            values.update(zip(given, group_function(nodes, taken, given)(*arguments)))
    check_outputs(traced, values)
    return list(found.values())


def check_outputs(traced, values):
    """Requires the written graph to compute the model's outputs."""
    wanted = torch.utils._pytree.tree_leaves(traced.model(*traced.inputs))
    got = [values[node] for node in torch.utils._pytree.tree_leaves(traced.outputs)]
    for left, right in zip(wanted, got):
        if not torch.allclose(left, right, rtol=1e-3, atol=1e-3, equal_nan=True):
            raise Unfit("the graph's outputs are not the model's: does forward draw random numbers?")


def _name(module, names):
    words = [SHORT.get(word, word) for word in dict.fromkeys(module.operations())]
    words = words or [operation(node) for node in module.nodes[:1]]
    return local_name(task_name("_".join(words[:WORDS])), names)


def moved_bytes(module):
    """Bytes of a group's inputs and outputs, each once; only the looked-up rows of a table."""
    total = sum(map(bytes_of, module.gives))
    rows = {}
    for node in module.nodes:
        if operation(node) in LOOKUPS and operation(node) != "index":
            table, index = (node.args[place] for place in LOOKUPS[operation(node)])
            rows[table] = index.meta["val"].numel() * bytes_of(table) // max(1, shape_of(table)[0])
    for take in module.takes:
        total += min(bytes_of(take.node), rows.get(take.node, bytes_of(take.node)))
    return total


def flops_of(need):
    """Floating-point operations of matrix products, convolutions and attention."""
    from torch.utils.flop_counter import FlopCounterMode
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        need.function()(*need.arguments)
    return counter.get_total_flops()


def measure(traced, needs, device):
    """Fills in the figures of all needs; returns those of the model."""
    clock = Clock(device)
    floats = [place.value.dtype for place in traced.places.values()
              if torch.is_tensor(place.value) and place.value.is_floating_point()]
    bandwidth, flop_rate = peaks(device, floats[0] if floats else torch.float32)
    calls = {None: lambda: traced.model(*traced.inputs)}
    calls.update({need.name: lambda f=need.function(), given=need.arguments: f(*given) for need in needs})
    seconds = medians(clock, calls)
    parts = sum(seconds[need.name] * len(need.occurrences) for need in needs)
    whole = max(seconds[None], parts)
    for need in needs:
        now, times = seconds[need.name], len(need.occurrences)
        moved, flops = moved_bytes(need.module), flops_of(need)
        bound = {"memory": moved / bandwidth, "arithmetic": flops / flop_rate}
        floor = min(max(bound.values()), now)
        share = now * times / whole
        saved = share * (1 - floor / now)
        room = now / floor if floor else None
        need.figures = {"seconds": now, "times": times, "share": share, "bytes": moved, "flops": flops,
                        "floor_seconds": floor, "bound": max(bound, key=bound.get), "room": room,
                        "saved_share": saved, "end_to_end": 1 / (1 - saved)}
    return {"seconds": seconds[None], "parts_seconds": parts, "bytes_per_s": bandwidth, "flops_per_s": flop_rate}


def unfit(need):
    """Why a need becomes no task; "" if it may become one."""
    if any(map(is_closed, need.module.nodes)):
        return "may draw random numbers, or its result's length depends on values"
    if not need.module.given():
        return "takes no tensor"
    if all(map(is_view, need.module.nodes)):
        return "computes nothing: a view of its input"
    return ""


def place_of(module):
    """Module of the model, e.g. layers.0.inner, with a group's first computing operation."""
    node = next((one for one in module.nodes if not is_view(one)), module.nodes[0])
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    return (stack[-1][0] if stack else "") or "forward"


def write_modules(needs, folder, model, options, language):
    """Writes modules/NAME.py for needs without objections, and imports them as tasks."""
    modules, tasks = folder / "modules", folder / "tasks"
    for one in (modules, tasks):
        shutil.rmtree(one, ignore_errors=True)
        one.mkdir()
    wanted = [need for need in needs if not need.reason]
    for need in wanted:
        title = (f"{', '.join(need.module.operations())}: {len(need.occurrences)} in {model}, "
                 f"first at {place_of(need.module)}.")
        (modules / f"{need.name}.py").write_text(need.module.text(title), encoding="utf-8")
    if not wanted:
        return
    done = subprocess.run([sys.executable, "-B", IMPORT, "module", str(modules), "--out", str(tasks),
                           "--references", str(options.references), "--program", options.program, "--source", model,
                           "--language", language, "--json"],
                          stdout=subprocess.PIPE, text=True)
    rows = {row["problem"]: row for row in json.loads(done.stdout)["problems"]} if done.stdout else {}
    for need in wanted:
        row = rows.get(need.name, {"result": "refused", "reason": f"the importer ended with {done.returncode}"})
        need.tensors = row.get("signature", [])
        need.reason = "" if row["result"] == "imported" else row["reason"]


def described(need, rank):
    def of(module):
        return {"place": place_of(module), "nodes": [node.name for node in module.nodes],
                "takes": [{"input": take.argument, "kind": take.kind, "from": take.source} for take in module.given()],
                "gives": [node.name for node in module.gives]}
    module = need.module
    return {"rank": rank, "name": need.name, "operations": module.operations(), **need.figures,
            "shapes": {take.argument: list(shape_of(take.node)) for take in module.given()},
            "outputs": [list(shape_of(node)) for node in module.gives],
            "constants": {name: length for length, name in module.lengths.items()},
            "tensors": need.tensors, "task": None if need.reason else f"tasks/{need.name}", "reason": need.reason,
            "occurrences": [of(one) for one in need.occurrences]}


def shapes_text(need):
    texts = ["x".join(map(str, shape_of(take.node))) or "1" for take in need.module.given()]
    return " ".join(texts[:3] + ["..."] * (len(texts) > 3))


def print_table(needs, model, top):
    rows = [("rank", "need", "operations", "times", "inputs", "us", "share", "floor us", "end to end", "task")]
    for rank, need in enumerate(needs[:top], 1):
        f = need.figures
        rows.append((str(rank), need.name, " ".join(need.module.operations()) or "-", str(f["times"]),
                     shapes_text(need), f"{1e6 * f['seconds']:.1f}", f"{100 * f['share']:.1f} %",
                     f"{1e6 * f['floor_seconds']:.1f}",
                     f"{f['end_to_end']:.2f}x", need.reason or "yes"))
    print(table_text(rows), end="")
    print(f"model: {1e6 * model['seconds']:.1f} us; its {sum(len(n.occurrences) for n in needs)} groups one by one: "
          f"{1e6 * model['parts_seconds']:.1f} us; at best {model['bytes_per_s'] / 1e9:.1f} GB/s and "
          f"{model['flops_per_s'] / 1e9:.1f} Gflop/s")


def run(options):
    """Writes options.out, and prints the table of needs or needs.json."""
    if not options.model.is_file():
        raise Unfit(f"no file '{options.model}'")
    device = torch.device(options.device)
    with device_threads(device, options.threads):
        traced = trace(options.model, device)
        needs = find_needs(traced)
        model = measure(traced, needs, device)
    needs.sort(key=lambda need: -need.figures["saved_share"])
    for rank, need in enumerate(needs):
        need.reason = unfit(need) or ("" if rank < options.top else f"not among the first {options.top}")
    options.out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(options.model, options.out / "model.py")
    language = "cuda" if options.device == "cuda" else "cpp"
    write_modules(needs, options.out, options.model.name, options, language)
    document = {"schema": SCHEMA, "model": options.model.name, "device": options.device, "threads": options.threads,
                "pytorch": torch.__version__, "nodes": [node.name for node in traced.nodes], **model,
                "needs": [described(need, rank) for rank, need in enumerate(needs, 1)]}
    text = json.dumps(document, indent=1)
    (options.out / "needs.json").write_text(text + "\n", encoding="utf-8")
    if options.json:
        print(text)
    else:
        print_table(needs, model, options.top)
        print(options.out)

#!/usr/bin/env python3
"""PyTorch operators from searches on an NVIDIA GPU compute the same as PyTorch: alone, under
torch.compile, in CUDA graphs, and from several threads on separate streams. Derivatives are those of
the reference, or an error. Prints what a call costs over its kernel. Needs a GPU and PyTorch for it.

KE_LIBRARIES=FOLDER takes the libraries that an earlier call of this test left in deploy_cuda."""
import concurrent.futures
import os
import pathlib
import shutil
import sys
import warnings

sys.path.insert(0, sys.path[0] + "/../support")
from needs import need_torch  # noqa: E402
from program import carry_out, fresh_folder, json_of, must, raises, write  # noqa: E402

torch = need_torch(gpu=True)
from tensors import columns_first, misaligned  # noqa: E402

FOLDER = fresh_folder("deploy_cuda")
CALLS = 10_000
CONFIG = """schema: kernelevolve/1
task: recsys/TASK
budget: {evaluations: 6}
device: {kind: cuda, compile_threads: 8, verify_time: 300ms, profile: "off"}
islands: {count: 1, lag: 4}
operators: {knob_step: 1}
verify: {cells: 0}
"""


def softmax_inputs(rows, cols):
    return (torch.randn(rows, cols, device="cuda"),)


def softmax(x):
    return torch.softmax(x.double(), 1).float()


def interaction_inputs(batch, features, dim, factors):
    return torch.randn(batch, features, dim, device="cuda"), torch.randn(batch, features, factors, device="cuda")


def interaction(x, p):
    return (x.double() @ (x.double().transpose(1, 2) @ p.double())).float()


def bag_inputs(vocab, dim, bags, bag):
    return (torch.randn(vocab, dim, device="cuda"),
            torch.randint(0, vocab, (bags, bag), dtype=torch.int32, device="cuda"))


def bag_sum(table, indices):
    return table.double()[indices.long()].sum(1).float()


CASES = {  # operator: (inputs, what PyTorch computes, verified shapes, one that is not)
    "softmax": (softmax_inputs, softmax, [(7, 129), (4096, 1000), (33, 4096)], (2, 5_000_000)),
    "fm_interaction": (interaction_inputs, interaction, [(3, 3, 7, 5), (64, 40, 64, 16), (16, 100, 130, 24)], None),
    "embedding_bag": (bag_inputs, bag_sum, [(127, 33, 17, 9), (100_000, 64, 1000, 20), (5000, 128, 64, 33)], None)}


def make_libraries():
    for task in CASES:
        write({f"{task}.yaml": CONFIG.replace("TASK", task)})
        must("run", f"{task}.yaml", "-q", "-o", f"runs/{task}")
        answer = json_of("dispatch", f"runs/{task}", "--draw", "0", "-k", "3", "-v", "1", "-o", task)
        holdout = next(one for one in answer["means"] if one["role"] == "holdout")
        print(f"{task}: {answer['variants']}, holdout {holdout['dispatcher']}, left out: {answer['left_out']}", flush=True)


def make_package():
    made = os.environ.get("KE_LIBRARIES")
    if made:
        for task in CASES:
            shutil.copytree(pathlib.Path(made) / task, FOLDER / task)
    else:
        make_libraries()
    print(must("deploy", *CASES, "--torch", "fast_gpu"), flush=True)


def close(got, wanted):
    torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-4)


def operators_compute_what_pytorch_does(package):
    for name, (inputs, function, shapes, _) in CASES.items():
        for shape in shapes:
            for change in (lambda one: one, columns_first, misaligned):
                given = tuple(map(change, inputs(*shape)))
                close(getattr(package, name)(*given), function(*given))


def operators_pass_opcheck(package):
    for name, (inputs, _, shapes, _) in CASES.items():
        for shape in shapes[:2]:
            torch.library.opcheck(getattr(package, name), inputs(*shape))


def operators_compile(package):
    for name, (inputs, function, shapes, _) in CASES.items():
        operator = getattr(package, name)
        compiled = torch.compile(lambda first, *rest: operator(first * 2, *rest), fullgraph=True)
        first, *rest = inputs(*shapes[1])
        close(compiled(first, *rest), function(first * 2, *rest))


def operators_are_captured(package):
    for name, (inputs, function, shapes, _) in CASES.items():
        for shape in shapes:
            given = inputs(*shape)
            getattr(package, name)(*given)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                answer = getattr(package, name)(*given)
            for _ in range(3):
                for old, new in zip(given, inputs(*shape)):
                    old.copy_(new)
                graph.replay()
                torch.cuda.synchronize()
                close(answer, function(*given))


def other_shapes_are_computed_by_the_reference(package):
    inputs, function, _, shape = CASES["softmax"]
    given = inputs(*shape)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        close(package.softmax(*given), function(*given))
    assert len(caught) == 1 and "not verified" in str(caught[0].message), caught


def what_does_not_fit_is_refused(package):
    x = torch.randn(4, 8, device="cuda")
    for kind, given, message in ((ValueError, x.cpu(), "'x' is on device cpu, expected cuda"),
                                 (TypeError, x.double(), "'x' is torch.float64, expected torch.float32")):
        raises(kind, lambda: package.softmax(given), message)


def threads_do_not_disturb_each_other(package):
    """Four threads call operators on separate streams, with calls in flight before answers are
    compared."""
    wrong = []

    def work(seed):
        torch.manual_seed(seed)
        with torch.cuda.stream(torch.cuda.Stream()):
            cases = []
            for name, (inputs, function, shapes, _) in CASES.items():
                for shape in shapes:
                    given = inputs(*shape)
                    cases.append((getattr(package, name), given, function(*given)))
            for _ in range(CALLS // (4 * 50)):
                batch = [(i % len(cases), cases[i % len(cases)][0](*cases[i % len(cases)][1])) for i in range(50)]
                torch.cuda.current_stream().synchronize()
                for i, answer in batch:
                    error = (answer - cases[i][2]).abs().max()
                    if not error <= 1e-3 * (1 + cases[i][2].abs().max()):
                        wrong.append((cases[i][0], float(error)))
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert not wrong, wrong[:3]
    print(f"4 threads, {CALLS} calls: none wrong")


def derivatives_are_errors_where_the_reference_has_none(package):
    """References of these tasks are in C++."""
    x = softmax_inputs(7, 129)[0]
    def total(one):
        return package.softmax(one).pow(2).sum()
    for derive in (lambda: total(x.clone().requires_grad_()), lambda: torch.func.grad(total)(x),
                   lambda: torch.func.jvp(package.softmax, (x,), (x,)), lambda: torch.func.vmap(torch.func.grad(total))(x[None])):
        raises(RuntimeError, derive, "requires a gradient, and this operator has none")
    with torch.no_grad():
        close(package.softmax(x.clone().requires_grad_()), softmax(x))


def autocast_casts_inputs(package):
    x = softmax_inputs(7, 129)[0]
    with torch.autocast("cuda", dtype=torch.float16):
        answer = package.softmax(x.half())
    assert answer.dtype is torch.float32
    close(answer, softmax(x.half()))


MOST_OVERHEAD = 10.0  # us a call over the kernel


def overhead(package):
    rows = package.benchmark()
    smallest = sys.modules[f"{package.__name__}.benchmarks"].smallest_overhead
    least = {name: smallest([row for row in rows if row.operator == name]) for name in CASES}
    print("overhead in us:", {name: round(value, 2) for name, value in least.items()}, "goal", MOST_OVERHEAD)
    assert all(value <= 2 * MOST_OVERHEAD for value in least.values()), least


if __name__ == "__main__":
    torch.manual_seed(1)
    make_package()
    sys.path.insert(0, str(FOLDER))
    import fast_gpu
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    carry_out(operators_compute_what_pytorch_does, operators_pass_opcheck, operators_compile, operators_are_captured,
              other_shapes_are_computed_by_the_reference, what_does_not_fit_is_refused,
              derivatives_are_errors_where_the_reference_has_none, autocast_casts_inputs,
              threads_do_not_disturb_each_other, overhead, given=(fast_gpu,))

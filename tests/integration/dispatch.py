#!/usr/bin/env python3
"""A library from a run whose kernels are each fast at some shapes only: it calls each where it is
fast and the anchor far away, computes the same as Python, exports only its functions, resumes after
a kill, and merges another machine's measurements."""
import array
import concurrent.futures
import ctypes
import json
import math
import shutil
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from library import compile_header, exported  # noqa: E402
from program import fresh_folder, json_of, kill_when, must, refused, skip, start, write  # noqa: E402

FOLDER = fresh_folder("dispatch")
LIBRARY = FOLDER / "library"
TASK = """schema: kernelevolve-task/1
name: scaled
description: "y[r][c] = x[r][c] * w[c]."
op_type: elementwise
axes: {rows: var, cols: var}
signature: [x, w, y, rows, cols]
inputs:
  x: {shape: [rows, cols], dtype: float32, align: 64, changes: every_call, classes: [normal, positive, large]}
  w: {shape: [cols], dtype: float32, align: 64, changes: never, classes: [normal]}
outputs:
  y: {shape: [rows, cols], dtype: float32, align: 64}
threads: 1
nonfinite: unspecified
subnormals: flush
transforms: {permute: [rows, cols]}
tolerance: {relative: 1.0e-5, relative_l2: 1.0e-5, scale: 1.0e-6}
row: cols
cost: {bytes: "8*rows*cols", flops: "rows*cols"}
aggregate: geometric_mean
reference: reference.cpp
kernels: {naive: naive.cpp, anchor: repeated.cpp}
workloads:
  - {rows: 1, cols: 1, role: test}
  - {rows: 7, cols: 129, role: test}
  - {rows: 300, cols: 1024, role: bench}
  - {rows: 10000, cols: 32, role: validation}
  - {rows: 320, cols: 1000, role: holdout}
  - {rows: 9973, cols: 33, role: holdout}
  - {rows: 600, cols: 2000, role: holdout}
  - {rows: 3, cols: 2000, role: holdout}
"""
REFERENCE = """#include <cstddef>
extern "C" void reference(const double* x, const double* w, double* y, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < rows * cols; ++i) y[i] = x[i] * w[i % cols];
}
"""
NAIVE = """// @task scaled
// @flags -O2; -march={native,}
#include <cstddef>
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < rows * cols; ++i) y[i] = x[i] * w[i % cols];
}
"""
# Computes rows several times, but only once for one value of the knob. Relies on alignment, and keeps a line in a
# variable that threads share.
REPEATED = """// @task scaled
// @knob FAST enum {nowhere, wide, tall} = nowhere
// @flags -O2 -march=native
#include <cstddef>
#include <cstring>
static float kept[1 << 16], line[1 << 16];
static void must_be_aligned(const void* at) {
  if (reinterpret_cast<std::size_t>(at) % 64 != 0) __builtin_trap();
}
extern "C" void prepare(const float* w, std::size_t, std::size_t cols) {
  must_be_aligned(w);
  std::memcpy(kept, w, cols * sizeof *w);
}
extern "C" void kernel(const float* x, const float*, float* y, std::size_t rows, std::size_t cols) {
  must_be_aligned(x);
  must_be_aligned(y);
  const bool fast = (FAST == FAST_wide && cols >= 256) || (FAST == FAST_tall && cols < 256);
  const int times = fast ? 1 : FAST == FAST_nowhere ? 6 : 20;
  for (std::size_t r = 0; r < rows; ++r) {
    for (int again = 0; again < times; ++again) {
      for (std::size_t c = 0; c < cols; ++c) line[c] = x[r * cols + c] * kept[c];
      asm volatile("" : : : "memory");
      for (std::size_t c = 0; c < cols; ++c) y[r * cols + c] = line[c];
    }
  }
}
"""
CONFIG = """schema: kernelevolve/1
task: scaled
budget: {evaluations: 3, proposals: 60}
operators: {knob_step: 1}
device: {verify_time: 300ms}
verify: {cells: 0}
"""
BUDGET = ["--draw", "2", "--seed", "1"]


def made(*words):
    return json_of("dispatch", "run", "-o", LIBRARY, *BUDGET, *words)


def goes_on_after_a_kill():
    kill_when(start("dispatch", "run", "-o", LIBRARY, *BUDGET), lambda: len(list((LIBRARY / "measured").glob("*.fact"))) >= 4, 300)
    kept = {path: path.stat().st_mtime_ns for path in (LIBRARY / "measured").glob("*.fact")}
    answer = made()
    assert all(path.stat().st_mtime_ns == at for path, at in kept.items())
    quiet, again = was_quiet(answer), made()
    assert again == answer or not quiet, (again, answer)  # only failures are repeated
    return again


def kernel_names():
    """Knob of each kernel, by its name in the library."""
    plan = json.loads((LIBRARY / "dispatch.json").read_text())
    return {one["name"]: next((word[7:] for word in one["arguments"] if word.startswith("-DFAST=")), "naive")
            for one in plan["variants"]}


def interval(figure):
    """Bounds of a speedup; without a figure it may be anything."""
    return (0, math.inf) if None in figure["ci"] else figure["ci"]


def is_sure(figure):
    low, high = interval(figure)
    return high < 1.5 * low


def was_quiet(answer):
    """True if all figures of the choice and of the check exist and are certain."""
    chosen = json.loads((LIBRARY / "dispatch.json").read_text())["devices"][0]["shapes"]
    figures = [figure for shape in chosen for figure in shape["speedups"].values()]
    figures += [shape[name] for shape in answer["shapes"] for name in ("dispatcher", "champion")]
    return not answer["left_out"] and all(map(is_sure, figures))


def fault_of(answer):
    """Fault of a library that should call each kernel where it is fast. "": none."""
    nowhere, wide, tall = "0", "1", "2"
    knobs = kernel_names()
    if answer["rule"] != "nearest shape":
        return f"one kernel everywhere: {answer}"
    for shape in answer["shapes"]:
        rows, cols = (int(word.partition("=")[2]) for word in shape["shape"].split())
        if rows == 3:  # far from all deciding shapes
            if knobs[shape["variant"]] != nowhere:
                return f"not the anchor far away, of {knobs}: {shape}"
            continue
        if knobs[shape["variant"]] != (wide if cols >= 256 else tall):
            return f"the wrong kernel of {knobs}: {shape}"
        figure = shape["dispatcher"]
        if interval(figure)[1] < 2 or (is_sure(figure) and figure["speedup"] < 2):
            return f"no faster than the anchor: {shape}"
    holdout = next(one for one in answer["means"] if one["role"] == "holdout")
    if holdout["shapes"] != 4:
        return f"not all shapes: {holdout}"
    champion, dispatcher = holdout["champion"], holdout["dispatcher"]
    if interval(champion)[0] > interval(dispatcher)[1] or (
            is_sure(champion) and is_sure(dispatcher) and champion["speedup"] > dispatcher["speedup"]):
        return f"no faster than the champion: {holdout}"
    return ""


def calls_each_kernel_where_it_is_fast(answer):
    """Measures again if the choice is wrong and something else ran. False: the machine was busy
    each time."""
    for left in (2, 1, 0):
        fault = fault_of(answer)
        if not fault:
            return True
        assert not was_quiet(answer), fault
        if left:
            shutil.rmtree(LIBRARY)
            answer = made()
    return False


def opened():
    library = ctypes.CDLL(str(LIBRARY / "libscaled.so"))
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    library.scaled_variant.restype = ctypes.c_char_p
    library.scaled_variant.argtypes = [size, size]
    library.scaled_prepare.argtypes = [pointer, size, size]
    library.scaled.argtypes = [pointer, pointer, pointer, size, size]
    return library


class Floats:
    """Floats from `offset` bytes behind an aligned address on."""

    def __init__(self, values, offset):
        raw = array.array("f", values).tobytes()
        self.memory = (ctypes.c_char * (len(raw) + 256))()
        self.at = (ctypes.addressof(self.memory) + 63) // 64 * 64 + offset
        self.count = len(values)
        ctypes.memmove(self.at, raw, len(raw))

    def values(self):
        return array.array("f", ctypes.string_at(self.at, 4 * self.count)).tolist()


def computes_what_python_does():
    library = opened()
    seen = set()
    for rows, cols in ((1, 1), (300, 700), (9000, 40), (5, 0)):
        x = [0.25 * (i % 97) for i in range(rows * cols)]
        w = [1 + 0.5 * (i % 5) for i in range(cols)]
        expected = [x[i] * w[i % cols] for i in range(rows * cols)]
        for offsets in ((0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4), (1, 2, 3)):
            given = [Floats(values, offset) for values, offset in zip((x, w, [-1.0] * (rows * cols)), offsets)]
            library.scaled_prepare(given[1].at, rows, cols)
            library.scaled(*[one.at for one in given], rows, cols)
            assert given[2].values() == expected, (rows, cols, offsets)
            assert (given[0].values(), given[1].values()) == (x, w), (rows, cols, offsets)
        seen.add(library.scaled_variant(rows, cols).decode())
    assert len(seen) == 3, seen


def calls_of_kernels_with_variables_take_turns():
    state = (LIBRARY / "objects" / "state.hpp").read_text()
    assert state.count("= true;") == 3 and "fallback_keeps_state = false;" in state, state
    library = opened()
    rows, cols, wrong = 300, 700, []
    w = Floats([2.0] * cols, 0)
    library.scaled_prepare(w.at, rows, cols)

    def work(own):
        x, y = Floats([float(own)] * (rows * cols), 0), Floats([0.0] * (rows * cols), 0)
        for _ in range(40):
            library.scaled(x.at, w.at, y.at, rows, cols)
            if set(y.values()) != {2.0 * own}:
                wrong.append(own)
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(1, 5)))
    assert not wrong, wrong


def exports_its_functions_alone():
    names = exported(LIBRARY / "libscaled.so")
    assert names == ["scaled", "scaled_call", "scaled_call_prepare", "scaled_prepare", "scaled_variant"], names
    compile_header(LIBRARY / "scaled.h")
    contract = (LIBRARY / "scaled.h").read_text()
    assert "multiples of 64 bytes" in contract and "in the caller's thread alone" in contract, contract


def ends_with_what_it_is_worth_at_holdout_shapes(answer):
    """Compares with the figure of the JSON answer, because nothing is measured again."""
    out = must("dispatch", "run", "-o", LIBRARY, *BUDGET)
    figure = next(one for one in answer["means"] if one["role"] == "holdout")["dispatcher"]["speedup"]
    last = out.splitlines()[-1]
    assert "scaled: at holdout shapes, mean of 4, the library is\n" in out, out
    if was_quiet(answer):
        assert "faster than the anchor: " in last and f"{figure:.3f}x" in last, (figure, last)
    else:
        assert "faster than the anchor" in last, last


def takes_in_another_machine():
    path = LIBRARY / "dispatch.json"
    plan = json.loads(path.read_text())
    here = plan["devices"][0]["processor"]
    plan["devices"][0]["processor"] = "Some other processor"
    path.write_text(json.dumps(plan))
    made()
    plan = json.loads(path.read_text())
    assert [one["processor"] for one in plan["devices"]] == [here, "Some other processor"]
    text = (LIBRARY / "dispatch.cpp").read_text()
    assert f'{{"{here}", ' in text and '{"Some other processor", ' in text


def main():
    write({"task.yaml": TASK, "reference.cpp": REFERENCE, "naive.cpp": NAIVE, "repeated.cpp": REPEATED}, "tasks/scaled")
    write({"run.yaml": CONFIG})
    must("run", "run.yaml", "-q", "-o", "run")
    refused(("dispatch", "run"), "dispatch: needs --out FOLDER")
    refused(("dispatch", "run", "-o", FOLDER), "holds other things; name a new folder")
    refused(("dispatch", "run", "-o", LIBRARY, "--name", "3d"), "--name = '3d' is no name of C")
    refused(("dispatch", "run", "-o", LIBRARY, "--shapes", "rows=320 cols=1000"), "is a shape of role holdout")
    shutil.rmtree(LIBRARY, ignore_errors=True)
    answer = goes_on_after_a_kill()
    if not calls_each_kernel_where_it_is_fast(answer):
        skip("the machine is too busy to time a kernel")
    computes_what_python_does()
    calls_of_kernels_with_variables_take_turns()
    exports_its_functions_alone()
    ends_with_what_it_is_worth_at_holdout_shapes(made())
    takes_in_another_machine()
    refused(("dispatch", "run", "-o", LIBRARY, "--name", "other"), "holds a dispatcher 'scaled' of task 'scaled'")


if __name__ == "__main__":
    main()

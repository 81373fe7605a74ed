#!/usr/bin/env python3
# Times nothing: may run beside others.
"""A library of a search of HIP kernels on a stand-in for the HIP runtime, whose GPU is this host: it
holds code objects of all targets, opens the runtime by its name, and computes what NumPy does at all
listed shapes and at others.

Exit code 77: no compiler for AMD GPUs here, no stand-in, or no NumPy."""
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from library import compile_header, dynamic_section  # noqa: E402
from needs import need, need_of_machine  # noqa: E402
from program import BUILD, SOURCE, fresh_folder, json_of, must, skip, write  # noqa: E402

need("numpy")
import numpy  # noqa: E402

STAND_IN = BUILD / "libfake_hip.so"
FOLDER = pathlib.Path("dispatch_hip").resolve()
LIBRARY = FOLDER / "library"
# test, bench, validation and holdout shapes of the task; the host emulates a GPU slowly
SHAPES = {"test": [(1, 1), (3, 129)], "bench": [(8, 96)], "validation": [(5, 70)], "holdout": [(7, 33), (2, 201), (4, 90)]}
UNLISTED = [(2, 65), (9, 1), (1, 500)]
TASK = f"""schema: kernelevolve-task/1
name: scaled
description: "y[r][c] = x[r][c] * sum of row r of x."
op_type: elementwise
axes: {{rows: var, cols: var}}
signature: [x, y, rows, cols]
inputs:
  x: {{shape: [rows, cols], dtype: float32, align: 64, changes: every_call, classes: [normal, positive]}}
outputs:
  y: {{shape: [rows, cols], dtype: float32, align: 64}}
nonfinite: unspecified
subnormals: flush
transforms: {{permute: [rows, cols]}}
tolerance: {{relative: 1.0e-4, relative_l2: 1.0e-4, scale: 1.0e-5}}
row: cols
cost: {{bytes: "8*rows*cols", flops: "2*rows*cols"}}
aggregate: geometric_mean
reference: reference.cpp
kernels: {{naive: kernel.hip, anchor: kernel.hip}}
workloads:
""" + "".join(f"  - {{rows: {rows}, cols: {cols}, role: {role}}}\n" for role, all in SHAPES.items() for rows, cols in all)
REFERENCE = """#include <cstddef>
extern "C" void reference(const double* x, double* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += x[r * cols + c];
    for (std::size_t c = 0; c < cols; ++c) y[r * cols + c] = x[r * cols + c] * sum;
  }
}
"""
# Two launches that hand over scratch memory. WAVES changes the machine code and not the emulation.
KERNEL = """// @task scaled
// @knob WAVES int {1, 2} = 1
// @scratch sums float32 [rows]
// @launch sum_rows grid=(rows) block=(64) args=(x, sums, int32(cols))
// @launch scale grid=(rows) block=(64) args=(x, sums, y, cols)
#ifndef WAVES
#define WAVES 1
#endif
extern "C" __global__ void sum_rows(const float* x, float* sums, int cols) {
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 64 / WAVES * WAVES) sum += x[size_t(blockIdx.x) * cols + c];
  for (int mask = 32; mask > 0; mask /= 2) sum += __shfl_xor(sum, mask);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
extern "C" __global__ void scale(const float* x, const float* sums, float* y, size_t cols) {
  for (size_t c = threadIdx.x; c < cols; c += 64) y[blockIdx.x * cols + c] = x[blockIdx.x * cols + c] * sums[blockIdx.x];
}
"""
CONFIG = f"""schema: kernelevolve/1
task: scaled
budget: {{evaluations: 2, proposals: 20}}
device: {{kind: hip, vendor: amd, hip_library: {STAND_IN}, cache: warm, verify_time: 100ms, verify_clusters: 2, profile: off}}
archive: {{axes: [{{measure: registers, low: 1, high: 256, bins: 4, scale: log}}]}}
operators: {{knob_step: 1}}
verify: {{cells: 0, naive_flag_sets: 0}}
"""


def raw_strings(path):
    return re.findall(r'R"\((.*?)\)"', (SOURCE / path).read_text(), re.DOTALL)


def kernels_on_host():
    """The judge's kernels and those of the task for the stand-in, as tests/fitness/hip/host_kernels.hpp
    builds them."""
    helper = "tests/fitness/hip/host_kernels.hpp"
    launchers = "".join(re.findall(r'KERNEL_OF\(\d+, ke_\w+\)\n?', (SOURCE / helper).read_text().replace("\\n", "\n")))
    text = raw_strings(helper)[0] + raw_strings("fitness/gpu/judge_kernels.hpp")[0] + "\n" + launchers + KERNEL
    (FOLDER / "host.cpp").write_text(text + "\nKERNEL(sum_rows)\nKERNEL(scale)\n")
    subprocess.run(["g++", "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-shared", "-fPIC", "-D__HIP_PLATFORM_AMD__",
                    "-DEMULATED_WARP_SIZE=64", f"-I{SOURCE}/tests/experiments/emulation", "-include", "hip_block.h",
                    "-o", FOLDER / "host.so", FOLDER / "host.cpp"], check=True)
    return FOLDER / "host.so"


def make_library():
    write({"task.yaml": TASK, "reference.cpp": REFERENCE, "kernel.hip": KERNEL}, "tasks/scaled")
    write({"run.yaml": CONFIG})
    must("run", "run.yaml", "-q", "-o", "run")
    return json_of("dispatch", "run", "-o", LIBRARY, "--draw", 0, "--kernels", 2, "--variants", 1)


def holds_code_objects_of_all_targets():
    plan = json.loads((LIBRARY / "dispatch.json").read_text())
    assert plan["devices"][0]["processor"] == "AMD Instinct MI250X" and plan["devices"][0]["extensions"] == "gfx90a", plan
    for variant in plan["variants"]:
        assert [code["arch"] for code in variant["codes"]] == ["gfx90a", "gfx942"], variant
        for arch, number in (("gfx90a", 0x3f), ("gfx942", 0x4c)):  # EF_AMDGPU_MACH of LLVM's guide
            header = (LIBRARY / "variants" / f"{variant['name']}.{arch}.0.co").read_bytes()[:64]
            assert header.startswith(b"\x7fELF") and header[0x30] == number, (arch, header)
    header = (LIBRARY / "scaled.h").read_text()
    assert "hipStream_t" in header and "Alignment: all tensors begin at multiples of 64 bytes" in header, header
    compile_header(LIBRARY / "scaled.h")
    needed = dynamic_section(LIBRARY / "libscaled.so")
    assert "amdhip" not in needed, needed
    assert "Experimental" in (LIBRARY / "README.md").read_text()


def opened():
    library = ctypes.CDLL(str(LIBRARY / "libscaled.so"))
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    library.scaled.argtypes = [pointer, pointer, size, size, pointer, pointer]
    library.scaled_workspace.argtypes, library.scaled_workspace.restype = [pointer, size, size], size
    library.scaled_variant.argtypes, library.scaled_variant.restype = [pointer, size, size], ctypes.c_char_p
    return library


def aligned(count, align=256):
    memory = numpy.zeros(4 * count + align, numpy.uint8)
    return memory[-memory.ctypes.data % align:][:4 * count].view("f4")


def computes_what_numpy_does():
    library, draw = opened(), numpy.random.default_rng(1)
    for rows, cols in [shape for shapes in SHAPES.values() for shape in shapes] + UNLISTED:
        x, y = aligned(rows * cols), aligned(rows * cols)
        x[:] = draw.standard_normal(rows * cols)
        bytes_ = library.scaled_workspace(x.ctypes.data, rows, cols)
        assert bytes_ == (4 * rows + 255) // 256 * 256, (rows, bytes_)
        workspace = aligned(bytes_ // 4)
        at = [x.ctypes.data, y.ctypes.data]
        assert library.scaled_variant(x.ctypes.data, rows, cols).decode().startswith("k")
        assert library.scaled(*at, rows, cols, workspace.ctypes.data, None) == 0, (rows, cols)
        wide = x.reshape(rows, cols).astype("f8")
        numpy.testing.assert_allclose(y.reshape(rows, cols), wide * wide.sum(1, keepdims=True), rtol=1e-4, atol=1e-4)
        assert library.scaled(at[0] + 4, at[1], rows, cols, workspace.ctypes.data, None) == 1
        assert library.scaled(*at, rows, cols, workspace.ctypes.data + 64, None) == 1
    assert library.scaled(*at, 0, 5, workspace.ctypes.data, None) == 1  # a grid of no blocks


def fails_without_the_runtime():
    library = opened()
    assert library.scaled(256, 256, 4, 4, 256, None) == 209 and library.scaled_variant(256, 4, 4) == b""


def in_process_with(runtime, test):
    """Runs a test of this file where the library finds the runtime, or none."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(runtime)}
    subprocess.run([sys.executable, __file__, test], check=True, cwd=FOLDER.parent, env=environment)


def main():
    if len(sys.argv) > 1:
        return globals()[sys.argv[1]]()
    fresh_folder("dispatch_hip")
    (FOLDER / "runtime").mkdir()
    if not STAND_IN.exists():
        skip(f"{STAND_IN} is not built")
    need_of_machine("hip compiler")
    (FOLDER / "runtime" / "libamdhip64.so.6").symlink_to(STAND_IN)
    os.environ["KERNELS_ON_HOST"] = str(kernels_on_host())
    answer = make_library()
    assert answer["variants"] and answer["means"][0]["shapes"] == 1, answer
    holds_code_objects_of_all_targets()
    in_process_with(FOLDER / "runtime", "computes_what_numpy_does")
    in_process_with(FOLDER, "fails_without_the_runtime")


if __name__ == "__main__":
    main()

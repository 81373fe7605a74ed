#!/usr/bin/env python3
"""A library of a search of OpenCL kernels through PoCL: it computes what NumPy does at all listed
shapes and at others, on the caller's queue, on one of its own and from several threads at once,
refuses what would be misread, calls the fallback where no other kernel fits, and holds no more than
its functions.

Exit code 77: no OpenCL device here, or no NumPy."""
import concurrent.futures
import ctypes
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from library import compile_header, dynamic_section, exported  # noqa: E402
from needs import need, need_of_machine  # noqa: E402
from program import fresh_folder, json_of, must, refused, write  # noqa: E402

need("numpy")
import numpy  # noqa: E402

FOLDER = fresh_folder("dispatch_opencl")
LIBRARY = FOLDER / "library"
# test, bench, validation and holdout shapes of the task
SHAPES = {"test": [(1, 1), (5, 2), (3, 127), (7, 1009), (129, 3)], "bench": [(64, 256)], "validation": [(300, 50)],
          "holdout": [(33, 333), (97, 64), (1000, 3)]}
UNLISTED = [(2, 1), (1, 4099), (63, 65), (301, 17)]
TASK = f"""schema: kernelevolve-task/1
name: scaled
description: "y[r][c] = x[r][c] * w[c], and total[r] is the sum of row r."
op_type: elementwise
axes: {{rows: var, cols: var}}
signature: [x, w, y, total, rows, cols]
inputs:
  x: {{shape: [rows, cols], dtype: float32, align: 64, changes: every_call, classes: [normal, positive]}}
  w: {{shape: [cols], dtype: float32, align: 16, changes: every_call, classes: [normal]}}
outputs:
  y: {{shape: [rows, cols], dtype: float32, align: 64}}
  total: {{shape: [rows], dtype: float32, align: 64}}
threads: 1
nonfinite: unspecified
subnormals: flush
transforms: {{permute: [rows]}}
tolerance: {{relative: 1.0e-4, relative_l2: 1.0e-4, scale: 1.0e-5}}
row: cols
cost: {{bytes: "8*rows*cols", flops: "2*rows*cols"}}
aggregate: geometric_mean
reference: reference.cpp
kernels: {{naive: naive.cl, anchor: anchor.cl}}
workloads:
""" + "".join(f"  - {{rows: {rows}, cols: {cols}, role: {role}}}\n" for role, all in SHAPES.items() for rows, cols in all)
REFERENCE = """#include <cstddef>
extern "C" void reference(const double* x, const double* w, double* y, double* total, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    total[r] = 0;
    for (std::size_t c = 0; c < cols; ++c) total[r] += y[r * cols + c] = x[r * cols + c] * w[c];
  }
}
"""
# Two launches, of which the second reads what the first wrote, and the narrow integer of a plan.
BODY = """__kernel void scale(__global const float* x, __global const float* w, __global float* y, int rows, ulong cols) {
  const size_t r = get_global_id(0);
  if (r >= rows) return;
  for (size_t c = 0; c < cols; ++c) y[r * cols + c] = x[r * cols + c] * w[c];
}
__kernel void sum(__global const float* y, __global float* total, ulong rows, ulong cols) {
  const size_t r = get_global_id(0);
  if (r >= rows) return;
  float all = 0;
  for (size_t c = 0; c < cols; ++c) all += y[r * cols + c];
  total[r] = all;
}
"""
PLAN = """// @launch scale grid=(ceil_div(rows, GROUP)) block=(GROUP) args=(x, w, y, int32(rows), cols)
// @launch sum grid=(ceil_div(rows, GROUP)) block=(GROUP) args=(y, total, rows, cols)
"""
NAIVE = "// @task scaled\n" + PLAN.replace("GROUP", "1") + BODY
ANCHOR = """// @task scaled
// @knob GROUP int {4, 16, 64} = 16
// @flags -cl-std=CL1.2; -cl-mad-enable?
""" + PLAN + BODY
CONFIG = """schema: kernelevolve/1
task: scaled
budget: {evaluations: 3, proposals: 40}
device: {kind: opencl, verify_time: 100ms, verify_clusters: 2}
operators: {knob_step: 1}
verify: {cells: 0, naive_flag_sets: 0}
"""
CALLER = r"""
#include <cstdio>
#include <thread>
#include <vector>

#include "scaled.h"

extern "C" {  // of <CL/cl.h>
int clGetPlatformIDs(unsigned, void**, unsigned*);
int clGetDeviceIDs(void*, unsigned long, unsigned, void**, unsigned*);
void* clCreateContext(const void*, unsigned, void* const*, void*, void*, int*);
_cl_command_queue* clCreateCommandQueueWithProperties(void*, void*, const unsigned long*, int*);
_cl_mem* clCreateBuffer(void*, unsigned long, size_t, void*, int*);
_cl_mem* clCreateSubBuffer(_cl_mem*, unsigned long, unsigned, const void*, int*);
int clEnqueueReadBuffer(_cl_command_queue*, _cl_mem*, unsigned, size_t, size_t, void*, unsigned, void*, void*);
}

void* context;
void* device;

bool is_right(size_t rows, size_t cols, unsigned seed, _cl_command_queue* queue) {
  std::vector<float> x(rows * cols), w(cols), y(rows * cols), total(rows);
  for (float& one : x) one = static_cast<float>((seed = seed * 1664525 + 1013904223) >> 24);
  for (float& one : w) one = static_cast<float>((seed = seed * 1664525 + 1013904223) >> 28);
  const auto copy = [&](std::vector<float>& of) { return clCreateBuffer(context, 1 | 32, of.size() * 4, of.data(), nullptr); };
  _cl_mem *x_ = copy(x), *w_ = copy(w), *y_ = copy(y), *total_ = copy(total);
  if (scaled(x_, w_, y_, total_, rows, cols, queue) != 0) return false;
  clEnqueueReadBuffer(queue, y_, 1, 0, y.size() * 4, y.data(), 0, nullptr, nullptr);
  clEnqueueReadBuffer(queue, total_, 1, 0, total.size() * 4, total.data(), 0, nullptr, nullptr);
  for (size_t r = 0; r < rows; ++r) {  // small integers: exact in any order
    double sum = 0;
    for (size_t c = 0; c < cols; ++c) {
      if (y[r * cols + c] != x[r * cols + c] * w[c]) return false;
      sum += y[r * cols + c];
    }
    if (static_cast<double>(total[r]) != sum) return false;
  }
  return true;
}

#define MUST(condition) if (!(condition)) return std::printf("line %d: not %s\n", __LINE__, #condition), 1

int main() {
  void* platform = nullptr;
  clGetPlatformIDs(1, &platform, nullptr);
  clGetDeviceIDs(platform, 0xFFFFFFFF, 1, &device, nullptr);
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  _cl_command_queue* shared = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
  const size_t shapes[][2] = SHAPES;
  bool wrong[4] = {};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {  // two threads share a queue, two have their own
      _cl_command_queue* queue = i < 2 ? shared : clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
      for (unsigned round = 0; round < 5; ++round) {
        for (const auto& shape : shapes) wrong[i] = wrong[i] || !is_right(shape[0], shape[1], 7 * i + round, queue);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  MUST(!wrong[0] && !wrong[1] && !wrong[2] && !wrong[3]);

  static float memory[4096];
  const auto buffer = [](size_t bytes) { return clCreateBuffer(context, 1, bytes, nullptr, nullptr); };
  const size_t part[2] = {128, 1024};
  _cl_mem *x = buffer(1024), *w = buffer(256), *y = buffer(1024), *total = buffer(64);
  MUST(scaled(x, w, y, total, 4, 64, shared) == 0);
  MUST(scaled(buffer(1020), w, y, total, 4, 64, shared) == -61);
  MUST(scaled(clCreateBuffer(context, 1 | 8, 1024, memory + 1, nullptr), w, y, total, 4, 64, shared) == -13);
  MUST(scaled(clCreateSubBuffer(buffer(2048), 1, 0x1220, part, nullptr), w, y, total, 4, 64, shared) == 0);
  MUST(scaled(x, w, y, total, 0, 64, shared) == -30);
  const unsigned long out_of_order[] = {0x1093, 1, 0};
  _cl_command_queue* unordered = clCreateCommandQueueWithProperties(context, device, out_of_order, nullptr);
  MUST(unordered == nullptr || scaled(x, w, y, total, 4, 64, unordered) == -36);
  return 0;
}
"""


def make_library():
    write({"task.yaml": TASK, "reference.cpp": REFERENCE, "naive.cl": NAIVE, "anchor.cl": ANCHOR}, "tasks/scaled")
    write({"run.yaml": CONFIG})
    must("run", "run.yaml", "-q", "-o", "run")
    return json_of("dispatch", "run", "-o", LIBRARY, "--draw", 1, "--kernels", 2, "--variants", 1)


def describes_itself(answer):
    assert answer["variants"][-1] == "fallback" and answer["library"].endswith("libscaled.so"), answer
    plan = json.loads((LIBRARY / "dispatch.json").read_text())
    assert all(one["language"] == "opencl" and one["codes"][0]["arch"] == "opencl" for one in plan["variants"]), plan
    header = (LIBRARY / "scaled.h").read_text()
    for part in ("Alignment: x begins at a multiple of 64 bytes, w begins at a multiple of 16 bytes", "Threads: any thread"):
        assert part in header, header
    compile_header(LIBRARY / "scaled.h")
    names = exported(LIBRARY / "libscaled.so")
    assert names == ["scaled", "scaled_on_host", "scaled_variant"], names
    needed = dynamic_section(LIBRARY / "libscaled.so")
    assert "OpenCL" not in needed, needed


def is_built_with_gxx_alone():
    """Where nothing else of the tree is: a copy of the folder, without what was built there."""
    copy = FOLDER / "copy"
    shutil.copytree(LIBRARY, copy, ignore=shutil.ignore_patterns("objects", "*.so", "measured"))
    subprocess.run(["sh", copy / "build.sh"], check=True, env={"PATH": "/usr/bin:/bin"})
    return copy


def all_shapes():
    return [shape for shapes in SHAPES.values() for shape in shapes] + UNLISTED


def opened(folder):
    library = ctypes.CDLL(str(folder / "libscaled.so"))
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    library.scaled_on_host.argtypes = [pointer] * 4 + [size, size, pointer]
    library.scaled_variant.argtypes, library.scaled_variant.restype = [size, size, pointer], ctypes.c_char_p
    return library


def same_as_numpy(library, rows, cols, seed, offset=0):
    """`offset`: bytes from an aligned address to each tensor."""
    draw = numpy.random.default_rng(seed)

    def placed(values):
        memory = numpy.zeros(values.nbytes + 128, numpy.uint8)
        start = -memory.ctypes.data % 64 + offset
        memory[start:start + values.nbytes] = values.view(numpy.uint8).reshape(-1)
        return memory[start:start + values.nbytes]

    x, w = draw.standard_normal((rows, cols)).astype("f4"), draw.standard_normal(cols).astype("f4")
    given = [placed(one) for one in (x, w, numpy.full((rows, cols), 7, "f4"), numpy.full(rows, 7, "f4"))]
    status = library.scaled_on_host(*[one.ctypes.data for one in given], rows, cols, None)
    assert status == 0, (rows, cols, status)
    y, total = given[2].tobytes(), given[3].tobytes()
    numpy.testing.assert_allclose(numpy.frombuffer(y, "f4").reshape(rows, cols), x * w, rtol=1e-6)
    wanted = (x.astype("f8") * w).sum(1)
    numpy.testing.assert_allclose(numpy.frombuffer(total, "f4"), wanted, rtol=1e-4, atol=1e-4 * cols ** 0.5)


def computes_what_numpy_does(library):
    for seed, (rows, cols) in enumerate(all_shapes()):
        for offset in (0, 4, 1):
            same_as_numpy(library, rows, cols, seed, offset)


def threads_do_not_disturb_each_other(library):
    def work(seed):
        for number in range(3):
            for rows, cols in all_shapes():
                same_as_numpy(library, rows, cols, 1000 * seed + number)
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))


def is_called_from_cpp(folder):
    """The library may be linked, too."""
    shapes = "{" + ", ".join(f"{{{rows}, {cols}}}" for rows, cols in all_shapes()) + "}"
    (FOLDER / "caller.cpp").write_text(CALLER.replace("SHAPES", shapes))
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", folder, "caller.cpp", "-o", "caller",
               folder / "libscaled.so", "-l:libOpenCL.so.1", "-lpthread", f"-Wl,-rpath,{folder}"]
    subprocess.run(command, check=True, cwd=FOLDER)
    done = subprocess.run([FOLDER / "caller"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.stdout, done.stderr)


def calls_the_fallback_where_no_other_kernel_fits(folder, library):
    """In a copy whose kernels no device builds but for the fallback, and in one where that neither."""
    names = {library.scaled_variant(rows, cols, None).decode() for rows, cols in all_shapes()}
    assert names and "fallback" not in names and "" not in names, names
    for broken, name, status in ((lambda stem: stem != "fallback", b"fallback", 0), (lambda stem: True, b"", -11)):
        copy = FOLDER / f"broken_{status}"
        shutil.copytree(folder, copy)
        for file in (copy / "variants").glob("*.cl"):
            if broken(file.stem):
                file.write_text("nonsense\n")
        subprocess.run(["sh", copy / "build.sh"], check=True)
        other = opened(copy)
        assert other.scaled_variant(64, 256, None) == name
        memory = numpy.zeros(1 << 16, numpy.uint8)
        at = memory.ctypes.data
        assert other.scaled_on_host(at, at + 20000, at + 21000, at + 40000, 64, 64, None) == status
        if status == 0:
            same_as_numpy(other, 64, 256, 1)


def is_no_operator_of_pytorch():
    refused(("deploy", LIBRARY, "--torch", "fast"), "a library for OpenCL devices")


def main():
    need_of_machine("opencl device")
    os.environ["POCL_CACHE_DIR"] = str(FOLDER / "pocl")
    describes_itself(make_library())
    folder = is_built_with_gxx_alone()
    library = opened(folder)
    computes_what_numpy_does(library)
    threads_do_not_disturb_each_other(library)
    is_called_from_cpp(folder)
    calls_the_fallback_where_no_other_kernel_fits(folder, library)
    is_no_operator_of_pytorch()


if __name__ == "__main__":
    main()

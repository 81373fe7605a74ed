#!/usr/bin/env python3
"""Kernels of a task without kernels are timed against PyTorch, eager and compiled, in float32 and in TF32, on an NVIDIA
GPU: at each of several shapes that come in any order, the time agrees with PyTorch's own timer where that shape alone is
called. Needs a GPU and PyTorch for it."""
import re
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from needs import need_torch  # noqa: E402
from program import SOURCE, fresh_folder, json_of, must, write  # noqa: E402

torch = need_torch(gpu=True)
FOLDER = fresh_folder("gpu_baseline")
KERNEL = """// @task linear_gelu
// @knob TILE int {16, 32} = 16
// @flags -std=c++17
// @launch linear grid=(ceil_div(out_features, TILE), ceil_div(batch_size, TILE)) block=(TILE, TILE)
extern "C" __global__ void linear(const float* x, const float* w, const float* b, float* out, size_t rows, size_t inner,
                                  size_t outer) {
  __shared__ float xs[TILE][TILE + 1], ws[TILE][TILE + 1];
  const size_t row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  const size_t weights = blockIdx.x * TILE + threadIdx.y;
  float sum = 0;
  for (size_t k = 0; k < inner; k += TILE) {
    const size_t at = k + threadIdx.x;
    xs[threadIdx.y][threadIdx.x] = row < rows && at < inner ? x[row * inner + at] : 0;
    ws[threadIdx.y][threadIdx.x] = weights < outer && at < inner ? w[weights * inner + at] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum = fmaf(xs[threadIdx.y][i], ws[threadIdx.x][i], sum);
    __syncthreads();
  }
  if (row < rows && col < outer) {
    const float v = sum + b[col];
    out[row * outer + col] = 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
  }
}
"""


def evaluated(opponent):
    """{shape: the opponent's ns as the judge sees it}"""
    answer = json_of("eval", "tasks/linear_gelu", "linear.cu", "--against", opponent, "device.verify_time=2s",
                     "device.profile=off", "device.cache=warm")
    return {row["workload"]: row["baseline_ns"] for row in answer["workloads"]}


def time_of(function, *given):
    """Nanoseconds on the GPU, after a wait that lets the host get ahead; median of 101."""
    times = []
    for _ in range(101):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(2_000_000)
        begin.record()
        function(*given)
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e6)
    return sorted(times)[50]


def main():
    write({"linear.cu": KERNEL})
    must("import", "module", SOURCE / "configs/modules/linear_gelu.py", "--language", "cuda", "-o", "tasks")
    task = (FOLDER / "tasks/linear_gelu/task.yaml").read_text()
    assert "language: cuda" in task and "{batch_size: 512, in_features: 768, out_features: 1024, role: bench}" in task, task
    (FOLDER / "tasks/linear_gelu/task.yaml").write_text(re.sub("role: (validation|holdout)", "role: bench", task))
    worst = {}
    for opponent in ("anchor", "pytorch_compiled", "pytorch_eager_tf32", "pytorch_compiled_tf32"):
        torch.backends.cuda.matmul.allow_tf32 = opponent.endswith("tf32")
        for shape, judged in evaluated(opponent).items():
            rows, inner, outer = map(int, re.findall(r"=(\d+)", shape))
            layer, x = torch.nn.Linear(inner, outer, device="cuda"), torch.randn(rows, inner, device="cuda")

            def model(x):
                return torch.nn.functional.gelu(layer(x))
            torch._dynamo.reset()
            function = torch.compile(model, dynamic=False) if "compiled" in opponent else model
            with torch.no_grad():
                function(x)
                own = time_of(function, x)
            print(f"{opponent} at {shape}: {judged:.0f} ns to the judge, {own:.0f} ns to PyTorch's events", flush=True)
            worst[opponent] = max(worst.get(opponent, 1), judged / own, own / judged)
    print(worst)
    assert max(worst.values()) < 1.4, worst
    print(torch.cuda.get_device_name())


if __name__ == "__main__":
    main()

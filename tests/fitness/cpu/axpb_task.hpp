#pragma once
// The task out = 2 in + 1, built in memory, so that these tests need no file reader.

#include <memory>
#include <string>

#include "core/expression.hpp"
#include "fitness/task.hpp"

namespace ke::test {

inline Expression expression(const std::string& text) { return *Expression::parse(text); }

inline TensorSpec vector_of_n(const std::string& name, bool output) {
  TensorSpec tensor;
  tensor.name = name;
  tensor.shape = {expression("n")};
  tensor.output = output;
  if (!output) tensor.classes = {"normal", "large", "one_hot", "nan_inf"};
  return tensor;
}

inline std::string axpb_source(const std::string& before = "", const std::string& after = "") {
  return "#include <cstddef>\n"
         "extern \"C\" void kernel(const float* in, float* out, std::size_t n) {\n" +
         before + "  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;\n" + after +
         "}\n";
}

inline std::shared_ptr<const Task> axpb_task() {
  auto task = std::make_shared<Task>();
  task->name = "axpb";
  task->axes = {"n"};
  task->signature = {"in", "out", "n"};
  task->tensors = {vector_of_n("in", false), vector_of_n("out", true)};
  task->axis_arguments = {"n"};
  task->nonfinite = Nonfinite::propagate;
  task->permute_axes = {"n"};
  task->tolerance = {.relative = 1e-5, .relative_l2 = 1e-5, .scale = 1e-6};
  task->row = expression("n");
  task->bytes = expression("8*n");
  task->flops = expression("2*n");
  task->reference_source =
      "#include <cstddef>\n"
      "extern \"C\" void reference(const double* in, double* out, std::size_t n) {\n"
      "  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i] + 1;\n}\n";
  task->kernels = {{"naive", axpb_source()}, {"anchor", "// @flags -O3\n" + axpb_source()}};
  for (const std::int64_t n : {1, 7, 1009}) {
    task->workloads.push_back({{{"n", n}}, Role::test, "n=" + std::to_string(n)});
  }
  task->workloads.push_back({{{"n", 200'000}}, Role::bench, "n=200000"});
  task->workloads.push_back({{{"n", 70'001}}, Role::holdout, "n=70001"});
  task->content_hash = sha256("axpb for tests");
  return task;
}

}  // namespace ke::test

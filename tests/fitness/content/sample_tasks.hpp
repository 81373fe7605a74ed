#pragma once
// Small tasks with closed forms, their documents and compiled oracles.

#include <map>
#include <string>
#include <vector>

#include "core/node.hpp"
#include "fitness/content/admit.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/task.hpp"

namespace ke::sample {

/// Parses YAML's flow style: {key: value, key: [a, b], "quoted": "text"}.
Node document(const std::string& text);

/// Flow text of complete tasks.
/// The text with the first occurrence of `from`, which it must hold, replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to);

std::string softmax_text();
std::string matvec_text();   ///< y = a x: permute rows and cols, scale and sign on both inputs
std::string centred_text();  ///< rows minus their means, times a weight for each column
std::string gather_text();   ///< float32 and int32 outputs, a table that never changes

/// Tensors of int64, float64, bool, int8 and uint8, two of them of rank 0: a sum of integers beyond
/// 2^32, squares, comparisons with 2^33, steps of a byte.
std::string mixed_text();
std::string mixed_kernel();  ///< a correct kernel of it

/// y = a x for CUDA kernels; all tensors have type `dtype`, and the inputs a have these classes.
std::string half_matvec_text(const std::string& dtype, const std::string& classes = "normal");

/// Creates a folder with the files that the samples name.
std::string folder();
/// Reads the task of a text in its own folder(); the test fails if the task is refused.
Task task(const std::string& text);
/// Builds the oracle of a task, or returns the error. Default: the weakest sandbox, which every
/// machine has.
Result<Reference> build_oracle(const Task& task, SandboxLevel level = SandboxLevel::rlimits);
/// Oracle of a task, compiled once per program and source.
const Reference& oracle(const Task& task);
Workload workload(std::map<std::string, std::int64_t> axes);

/// A pool for the task of a text, with the objects that it borrows.
struct Pool {
  explicit Pool(const std::string& text, std::map<std::string, std::int64_t> axes,
                const PoolOptions& options = {})
      : task(sample::task(text)),
        pool(*ContentPool::create(task, sample::workload(std::move(axes)), sample::oracle(task),
                                  random, options)) {}
  Task task;
  SecretRandom random{{1, 2, 3, 4}};
  ContentPool pool;
};

/// A content whose only output has given expected values, to test the rule of comparison alone.
struct Given {
  Given(const std::string& text, std::map<std::string, std::int64_t> axes,
        std::vector<double> expected, bool drawn = false);

  Task task;
  FreshContent fresh;
};

/// Outputs of a kernel without any error: expected values rounded to their type.
struct Outputs {
  explicit Outputs(const FreshContent& content);
  std::vector<std::vector<std::byte>> bytes;
  float* floats(std::size_t output = 0) { return reinterpret_cast<float*>(bytes[output].data()); }
  std::int32_t* ints(std::size_t output) {
    return reinterpret_cast<std::int32_t*>(bytes[output].data());
  }
  std::size_t size(std::size_t output = 0) const { return bytes[output].size() / 4; }
  std::vector<const std::byte*> pointers() const;
};

/// The inputs of a content, as the kernel sees them.
std::vector<std::vector<std::byte>> inputs_of(const FreshContent& content);
std::vector<float> floats_of(const std::vector<std::byte>& bytes);
/// Names of the trivial answers that the contents do not refute.
std::vector<std::string> trivial_survivors(const Task& task,
                                           std::span<const FreshContent> contents);

}  // namespace ke::sample

#pragma once
// Calls a kernel of this process at the contents of a verification.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/evaluators/oracle.hpp"
#include "fitness/content/compare.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/content/unlisted.hpp"

namespace ke::judged {

constexpr std::int64_t small_elements = 1 << 14;
constexpr std::int64_t largest_tested_shape =
    1 << 18;                     // larger shapes take an oracle too long for a test
constexpr int varied_draws = 4;  // as in a full check

/// One call: tensors in the order of the signature, then the axes.
struct Call {
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;
  std::vector<std::size_t> axes;

  template <typename T>
  const T* input(std::size_t t) const {
    return reinterpret_cast<const T*>(in[t]);
  }
  const float* x(std::size_t t = 0) const { return input<float>(t); }
  float* y() const { return reinterpret_cast<float*>(out[0]); }
};

using Body = void (*)(const Call&);

/// A task whose contents are drawn as those of a verification.
class Judged {
 public:
  static const Judged& of(const std::string& name) {
    static std::map<std::string, std::unique_ptr<Judged>> known;
    auto& slot = known[name];
    if (!slot) slot = std::make_unique<Judged>(name);
    return *slot;
  }

  explicit Judged(const std::string& name) : task_(load(name)) {
    const auto bench = make_workbench("rlimits");
    EXPECT_TRUE(bench) << bench.error().message;
    auto started = oracle_of(*task_, bench->options);
    EXPECT_TRUE(started) << started.error().message;
    reference_ = std::make_unique<Reference>(*std::move(started));
  }

  /// Why the kernel is wrong at the contents of one verification; "" if it is right.
  std::string judge(Body body, std::uint64_t seed) const {
    SecretRandom random({seed, 1, 2, 3});
    for (const Workload& workload : task_->workloads) {
      if (elements(workload) > small_elements) continue;
      auto pool = ContentPool::create(*task_, workload, *reference_, random,
                                      {.entries = 1, .unchanging_anew = true});
      if (!pool) return "no contents: " + pool.error().message;
      for (std::size_t c = 0; c < ContentPool::cases(*task_); ++c) {
        if (auto text = wrong(body, pool->new_draw(c)); !text.empty()) return text;
      }
      for (int i = 0; i < varied_draws; ++i) {
        if (auto text = wrong(body, pool->varied()); !text.empty()) return text;
      }
      if (auto text = wrong(body, pool->edited(pool->fresh())); !text.empty()) return text;
    }
    for (const Workload& workload : unlisted_workloads(*task_, JobKind::verify, {}, random)) {
      if (elements(workload) > largest_tested_shape) continue;
      auto pool = ContentPool::of_one_case(*task_, workload, *reference_, random);
      if (!pool) return "no contents: " + pool.error().message;
      if (auto text = wrong(body, pool->fresh(0)); !text.empty()) return text;
    }
    return "";
  }

 private:
  static std::shared_ptr<const Task> load(const std::string& name) {
    const auto task = load_task(name, ".");
    EXPECT_TRUE(task) << task.error().message;
    return *task;
  }

  std::int64_t elements(const Workload& workload) const {
    const auto shapes = resolve_shapes(*task_, workload);
    std::int64_t sum = 0;
    for (const TensorShape& tensor : shapes->tensors) sum += tensor.elements;
    return sum;
  }

  std::string wrong(Body body, const FreshContent& content) const {
    const Shapes& shapes = content.shapes();
    std::vector<std::vector<std::byte>> memory;
    for (const TensorShape& tensor : shapes.tensors) {
      memory.emplace_back(static_cast<std::size_t>(tensor.bytes));
    }
    Call call;
    std::vector<std::byte*> inputs;
    std::vector<const std::byte*> outputs;
    for (std::size_t t = 0; t < memory.size(); ++t) {
      (t < shapes.inputs ? inputs : call.out).push_back(memory[t].data());
    }
    write_inputs(content, inputs);
    call.in.assign(inputs.begin(), inputs.end());
    for (const std::int64_t axis : shapes.axis_arguments) {
      call.axes.push_back(static_cast<std::size_t>(axis));
    }
    body(call);
    outputs.assign(call.out.begin(), call.out.end());
    const auto mismatch = compare(content, outputs);
    std::string where;
    for (const std::size_t axis : call.axes) where += std::to_string(axis) + " ";
    return mismatch ? where + content.entry->label + ": " + mismatch->text() : "";
  }

  std::shared_ptr<const Task> task_;
  std::unique_ptr<Reference> reference_;
};

}  // namespace ke::judged

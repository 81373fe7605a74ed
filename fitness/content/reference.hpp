#pragma once
// The oracle: a task's reference, called in double precision in processes of its own.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/reference/process.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Where the oracle is asked, for its time limit and for messages.
struct ReferenceSite {
  std::string workload;
  std::chrono::nanoseconds limit{0};
};

/// The site of a workload. The limit is the task's `reference_limit` (30 s) and 20 ns for each
/// element of a tensor and each operation of `cost.flops`.
ReferenceSite reference_site(const Task& task, const Workload& workload, const Shapes& shapes);

/// Memory of one call, in signature order. Outputs are zero before the call.
struct ReferenceTensors {
  ReferenceProcess* process = nullptr;  ///< whose memory it is
  std::vector<std::byte*> data;
  std::vector<std::size_t> bytes;

  std::span<double> doubles(std::size_t t) const { return as<double>(t); }

 private:
  template <typename T>
  std::span<T> as(std::size_t t) const {
    return {reinterpret_cast<T*>(data[t]), bytes[t] / sizeof(T)};
  }
};

/// `extern "C" void reference(inputs..., outputs..., axes...)`: const double* and double* for
/// tensors of floating types, their own type for integers and bool, std::size_t for axes;
/// at most 16 arguments together. Each thread that asks has a process of its own, started at its
/// first call and kept for the next ones. All errors are Failure::reference, name the reference's
/// file, the workload and, where it can be told, the tensor.
class Reference {
 public:
  /// Loads it once. Error: there is no function `reference`.
  static Result<Reference> start(ReferenceProgram program);

  /// Memory for a call of this thread at these shapes: fill the inputs, then run.
  Result<ReferenceTensors> prepare(const Task& task, const Shapes& shapes) const;
  /// Calls it on what prepare gave this thread.
  Result<void> run(const Task& task, const Shapes& shapes, const ReferenceTensors& tensors,
                   const ReferenceSite& site) const;

  /// Tells all threads that nothing can be judged any more. The first error stays.
  void give_up(const Error& error) const;
  /// Why it was given up; nothing while it was not. Whoever judges asks after each job.
  Result<void> health() const;

 private:
  struct State;
  Result<ReferenceProcess*> process() const;
  std::shared_ptr<State> state_;
};

}  // namespace ke

#pragma once
// The oracle: a task's reference, called in double precision in separate processes.

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

/// The place of a call to the oracle, for its time limit and for messages.
struct ReferenceSite {
  std::string workload;
  std::chrono::nanoseconds limit{0};
};

/// The site of a workload. The limit is the task's `reference_limit` (30 s) plus 20 ns for each
/// element of a tensor and each operation of `cost.flops`.
ReferenceSite reference_site(const Task& task, const Workload& workload, const Shapes& shapes);

/// Memory of one call, in signature order. Outputs are zero before the call.
struct ReferenceTensors {
  ReferenceProcess* process = nullptr;  ///< owner of the memory
  std::vector<std::byte*> data;
  std::vector<std::size_t> bytes;

  std::span<double> doubles(std::size_t t) const {
    return {reinterpret_cast<double*>(data[t]), bytes[t] / sizeof(double)};
  }
};

/// `extern "C" void reference(inputs..., outputs..., axes...)`: const double* and double* for
/// tensors of floating types, their own type for integers and bool, std::size_t for axes; at most
/// 16 arguments together. Each calling thread has its own process until leave(), started at the
/// first call unless another thread left one. All errors are Failure::reference and name the
/// reference's file, the workload and, if known, the tensor.
class Reference {
 public:
  /// Loads the reference once. Error: there is no function `reference`.
  static Result<Reference> start(ReferenceProgram program);

  /// Memory for a call by this thread at these shapes: fill the inputs, then run.
  Result<ReferenceTensors> prepare(const Task& task, const Shapes& shapes) const;
  /// Calls the reference on this thread's memory from prepare. `as_written`: a reference in PyTorch
  /// computes in single precision, as its users see it, others in double precision as ever.
  Result<void> run(const Task& task, const Shapes& shapes, const ReferenceTensors& tensors,
                   const ReferenceSite& site, bool as_written = false) const;

  /// Leaves this thread's process to the next thread that calls, which saves loading PyTorch again.
  void leave() const;

  /// Tells all threads to stop judging. The first error stays.
  void give_up(const Error& error) const;
  /// The error of give_up, if any. The judge asks after each job.
  Result<void> health() const;

 private:
  struct State;
  Result<ReferenceProcess*> process() const;
  std::shared_ptr<State> state_;
};

}  // namespace ke

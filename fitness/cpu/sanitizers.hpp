#pragma once
// What the compiler's sanitizers say of a kernel: for champions, beside the figures.

#include <string>

#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/host/build/compiler.hpp"
#include "fitness/judging/sanitizer_report.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Builds the kernel with AddressSanitizer and UndefinedBehaviorSanitizer and calls it in the
/// sandbox on every test shape: each tensor is a heap block of exactly its size and alignment, so
/// that an access one byte beside it is seen. Two contents a shape. ThreadSanitizer is left out:
/// its runtime does not know the synchronisation inside GCC's OpenMP runtime and would accuse
/// correct kernels. Takes 1 to 3 s, mostly compiling. Thread-safe. Errors are the machine's.
class Sanitizers {
 public:
  /// All borrowed.
  Sanitizers(const Task& task, const Compiler& compiler, const Reference& reference)
      : task_(task), compiler_(compiler), reference_(reference) {}

  /// `kernel` must be one that the evaluator built.
  Result<SanitizerReport> examine(const Kernel& kernel) const;

 private:
  Result<BuildOutput> build(const Kernel& kernel) const;
  Result<std::string> calls() const;

  const Task& task_;
  const Compiler& compiler_;
  const Reference& reference_;
};

}  // namespace ke

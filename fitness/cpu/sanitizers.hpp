#pragma once
// Reports of the compiler's sanitizers on a kernel, shown beside the figures of champions.

#include <string>

#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/host/build/compiler.hpp"
#include "fitness/judging/finding.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Builds the kernel with AddressSanitizer and UndefinedBehaviorSanitizer and calls it in the
/// sandbox on every test shape. Each tensor is a heap block of exactly its size and alignment, so
/// that an access one byte beside it is detected. Two contents per shape. Omits ThreadSanitizer,
/// whose runtime does not know the synchronisation inside GCC's OpenMP runtime and would accuse
/// correct kernels. Takes 1 to 3 s, mostly compiling. Thread-safe. Errors: the machine fails.
class Sanitizers {
 public:
  /// All arguments are borrowed.
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

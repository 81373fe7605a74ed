#pragma once
// Collects kernels of runs as candidates for a dispatcher.

#include <memory>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "core/kernel.hpp"
#include "core/result.hpp"

namespace ke {

struct PoolKernel {
  Kernel kernel;
  std::string origin;  ///< "softmax.s1.kev 12.0.0"
};

/// Collects at most `most` kernels with distinct builds. The champion of the first run comes first.
/// The others are taken in turn from ranked lists of each run: the fastest over all bench
/// workloads, the fastest at each of them by the search's figures, and the elites, because
/// dissimilar kernels are fast at dissimilar shapes.
Result<std::vector<PoolKernel>> kernel_pool(const std::vector<std::unique_ptr<RunReader>>& runs,
                                            std::size_t most);

}  // namespace ke

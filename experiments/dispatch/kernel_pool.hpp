#pragma once
// The kernels of runs that a dispatcher may be made of.

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

/// At most `most` kernels with builds of their own. The champion of the first run comes first. The
/// others are taken in turns from lists, each from its best on: of each run the fastest over all
/// bench workloads, the fastest at each of them as the search saw them, and the elites, since
/// unlike kernels are fast at unlike shapes.
Result<std::vector<PoolKernel>> kernel_pool(const std::vector<std::unique_ptr<RunReader>>& runs,
                                            std::size_t most);

}  // namespace ke

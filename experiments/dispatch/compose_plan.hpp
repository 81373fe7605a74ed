#pragma once
// Composes the plan of a library from measured kernels.

#include "experiments/dispatch/contenders.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"

namespace ke {

/// Keeps the kernels that some shape calls first, the anchor, which any shape may fall back to, and
/// the naive kernel without flags that ask for a processor. The plan has one device, this one.
/// `few` was verified on `bench`; `date` is the device's.
Result<DispatchPlan> compose_plan(const MeasuringBench& bench, const Contenders& few,
                                  const std::string& symbol, const std::string& date);

/// Lengths of the axes that kernels are given, in their order.
std::vector<std::size_t> argument_lengths(const Task& task, const Workload& shape);

/// Variant that a device of the plan calls at a shape.
const std::string& called_at(const DispatchPlan& plan, const DispatchDevice& device,
                             const std::vector<std::size_t>& lengths);

}  // namespace ke

#pragma once
// Admission of a task: its tolerance must separate kernels that do nothing from kernels that work.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/content/content.hpp"
#include "fitness/content/reference.hpp"

namespace ke {

/// The largest part of the tolerance that the naive kernel may use.
inline constexpr double admitted_ratio = 0.25;

/// Calls the reference at each listed workload: for every case of input classes where its first
/// answer takes less than 20 ms, else for the first case only. Null when every answer to finite
/// inputs is finite, else a message with the first one that is not. Error: the reference failed.
Result<std::optional<std::string>> reference_refusal(const Task& task, const Reference& reference);

/// Names of trivial kernels (zeros, nan, identity, constant, noop) that pass all `contents`. A task
/// is admitted only if there are none. Use contents of a bench workload: at a shape of one element
/// a constant can be right.
std::vector<std::string> trivial_survivors(const Task& task,
                                           std::span<const FreshContent> contents);

/// The naive kernel's outputs for one content, per output tensor.
struct NaiveOutputs {
  FreshContent content;
  std::vector<std::vector<std::byte>> outputs;
};

/// The naive kernel's largest error used / allowed; `kernelevolve check` prints it.
double naive_margin(std::span<const NaiveOutputs> runs);
/// Null when naive_margin is at most admitted_ratio, else the problem with the tolerance.
std::optional<std::string> tolerance_refusal(std::span<const NaiveOutputs> runs);

}  // namespace ke

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

/// An answer that a kernel could give without computing anything.
struct TrivialAnswer {
  std::string name;             ///< zeros, nan, constant, noop, or identity of an input
  std::string refuted_by = {};  ///< the first content for which it is wrong; "" = none yet
};
std::vector<TrivialAnswer> trivial_answers(const Task& task);

/// Refutes those answers that are wrong for any of the contents of one workload. The constant is
/// the mean of the first content's outputs, and tried on the others.
void refute(std::vector<TrivialAnswer>& answers, std::span<const FreshContent> contents);

struct ReferenceFindings {
  /// The first answer to finite inputs that is not finite, nor infinite where the task says
  /// `nonfinite: propagate`.
  std::optional<std::string> refusal = {};
  std::vector<TrivialAnswer> trivial = {};  ///< one that nothing refutes makes the task worthless
};

/// Calls the reference at each listed workload: for every case of input classes where its first
/// answer takes less than 20 ms, else for the first case only. Of kernels for GPUs whose reference
/// is in Python, large shapes are called there when they are judged; here shorter ones with a
/// length of each (slim_workloads). Trivial answers are tried on contents without NaN: one that is
/// wrong on those alone could pass a run that draws none. Error: the reference failed.
Result<ReferenceFindings> examine_reference(const Task& task, const Reference& reference);

}  // namespace ke

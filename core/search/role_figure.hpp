#pragma once
// One figure for all workloads of a role.

#include <string>
#include <string_view>

#include "core/evaluation.hpp"
#include "core/workload_mean.hpp"

namespace ke {

struct RoleFigure {
  double speedup = 0;
  Interval ci;    ///< 95 % interval
  int count = 0;  ///< number of workloads; 0 = none was timed, and there is no figure
};

/// Mean over the workloads of one role. Intervals are combined on the log scale as independent
/// errors.
RoleFigure role_figure(const Comparison& comparison, std::string_view role,
                       const WorkloadMean& rule);

/// Whether an interval ends within a share of its middle on either side, on the log scale.
bool is_resolved(const Interval& ci, double within);

/// Note of a figure that is not resolved; stands in place of its number.
inline constexpr std::string_view not_resolved = "not resolved";
/// Begin of a verification's policy flag for each role whose figure is not resolved.
inline const std::string unresolved_flag = "unresolved: ";

inline constexpr std::string_view validation_role = "validation";

/// The least time that memory allows, relative to the kernel's: the mean over the bench workloads;
/// 0 = not known at all of them.
double floor_share(const Comparison& comparison, const WorkloadMean& rule);

/// Copies the result of a screen at the validation shapes into the evaluation: the speedup, or the
/// verdict when the kernel failed there. A lost or unreliable screen changes nothing.
void take_validation(const Fact& fact, const WorkloadMean& rule, double min_gain,
                     Evaluation& evaluation);

/// Note beside a role's figure of a fact: verdict and reason unless it is `ok`, else whether the
/// figure is not resolved. Otherwise empty.
std::string figure_note(const Fact& fact, std::string_view role);

}  // namespace ke

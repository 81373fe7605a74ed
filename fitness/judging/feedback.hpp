#pragma once
// The record that operators get about a kernel: JSON of at most 4 KiB.

#include <map>
#include <string>

#include "core/evaluation.hpp"
#include "core/feedback_record.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/judging/finding.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The inputs of the record; null members are left out.
struct FeedbackParts {
  const Fact* fact = nullptr;
  const BuildOutcome* built = nullptr;
  const Finding* finding = nullptr;
  double margin = -1;  ///< largest error used / allowed, < 0 = unknown
  const Task* task = nullptr;
  std::string opponent;  ///< the opponent that times are relative to
  /// Time by bench workload of a preparation that the measured times exclude. Null = none.
  const std::map<std::string, double>* preparation_ns = nullptr;
};

/// Builds the record. It quotes values of failing elements for test shapes only, and nothing about
/// holdout or validation shapes. Shortens long parts until it fits.
std::string feedback_of(const FeedbackParts& parts);

}  // namespace ke

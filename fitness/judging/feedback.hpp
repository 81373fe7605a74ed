#pragma once
// What an operator is told of a kernel: JSON of at most 4 KiB.

#include <map>
#include <string>

#include "core/evaluation.hpp"
#include "core/feedback_record.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/judging/finding.hpp"
#include "fitness/task.hpp"

namespace ke {

/// What the record is made of; null members are left out.
struct FeedbackParts {
  const Fact* fact = nullptr;
  const BuildOutcome* built = nullptr;
  const Finding* finding = nullptr;
  double margin = -1;  ///< largest error used / allowed, < 0 = unknown
  const Task* task = nullptr;
  std::string opponent;  ///< what times are against
  /// By bench workload: of the preparation that is no part of the times. Null = none.
  const std::map<std::string, double>* preparation_ns = nullptr;
};

/// The record. Values of failing elements are quoted for test shapes only, nothing of holdout or
/// validation shapes at all. Long parts are shortened until it fits.
std::string feedback_of(const FeedbackParts& parts);

}  // namespace ke

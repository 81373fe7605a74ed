#pragma once
// A failure of a candidate: a verdict with all that a person or an operator may know about it.

#include <cstdint>
#include <optional>
#include <string>

#include "core/verdict.hpp"
#include "fitness/content/compare.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The first failure.
struct Finding {
  Verdict verdict = Verdict::ok;
  std::string reason = {};     ///< short code
  std::string message = {};    ///< one line
  std::string workload = {};   ///< "" when secret (validation, holdout) or irrelevant
  std::string inputs = {};     ///< label of the content's classes
  std::string placement = {};  ///< start | end
  std::int64_t call = 0;       ///< number of the call in its process, from 1
  std::optional<Mismatch> mismatch = std::nullopt;
};

/// The finding for two calls of one arm that disagree on equal inputs.
Finding differs_when_repeated();

/// Records where the failure happened; leaves validation and holdout shapes out, and values of all
/// but test shapes, unless the workload is disclosed.
void locate(Finding& finding, const Workload& workload, const std::string& inputs,
            std::string placement, std::int64_t call);

}  // namespace ke

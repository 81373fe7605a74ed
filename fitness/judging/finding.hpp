#pragma once
// A failure of a candidate: a verdict with all that a person or an operator may know about it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/evaluation.hpp"
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

/// The result of one pass.
struct SanitizerReport {
  enum class Status {
    clean,
    finding,         ///< a kernel error, described by `message`
    not_applicable,  ///< no result, for the reason in `message`; never held against a kernel
  };
  static constexpr std::size_t most_message = 200;

  Status status = Status::not_applicable;
  std::string tool;     ///< tool of a finding: address | undefined | memcheck | initcheck
  std::string message;  ///< one line, capped
};

/// The report of a pass without a result, for the reason `why`.
SanitizerReport not_applicable(std::string why);

/// Writes a report into its job's fact; a finding makes it suspicious.
void take_report(const SanitizerReport& report, Fact& fact);

}  // namespace ke

#pragma once
// A sanitizer's report on a kernel, shown beside the figures of champions.

#include <cstddef>
#include <string>

#include "core/evaluation.hpp"

namespace ke {

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

#pragma once
// What a sanitizer says of a kernel: for champions, beside the figures.

#include <cstddef>
#include <string>

#include "core/evaluation.hpp"

namespace ke {

/// The answer of one pass.
struct SanitizerReport {
  enum class Status {
    clean,
    finding,         ///< an error of the kernel, `message` says which
    not_applicable,  ///< it could not be said: `message` says why. Never held against a kernel
  };
  static constexpr std::size_t most_message = 200;

  Status status = Status::not_applicable;
  std::string tool;     ///< of a finding: address | undefined | memcheck | initcheck
  std::string message;  ///< one line, capped
};

/// Nothing can be said, and why.
SanitizerReport not_applicable(std::string why);

/// Writes a report into the fact of its job: suspicious = a finding.
void take_report(const SanitizerReport& report, Fact& fact);

}  // namespace ke

#pragma once
// Creates jobs with their keys, so that equal jobs have equal keys everywhere.

#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/job.hpp"

namespace ke {

inline constexpr std::int64_t max_screen_looks =
    2;  ///< an unreliable or lost screen is repeated once

class JobMaker {
 public:
  /// `device`: index of the device that the created jobs are for.
  JobMaker(const EvaluatorInfo& info, const Digest& task_hash, std::size_t device = 0)
      : info_(info), device_(device), task_hash_(task_hash), task_text_(task_hash.hex()) {}

  std::string_view device_class() const { return info_.device_class; }
  const DeviceSheet& sheet() const { return info_.sheet; }
  /// Whether the device serves jobs of kind `sanitize`.
  bool sanitizes() const;

  Job build(const Kernel& kernel) const { return build(kernel, kernel.genome_hash()); }
  /// A build job for a kernel whose genome hash is known.
  Job build(const Kernel& kernel, const Digest& genome_hash) const;
  /// A screen against the anchor.
  Job screen(const Kernel& kernel, const Digest& build_hash, std::int64_t look,
             const std::vector<std::string>& roles = {"bench"}) const;
  /// Correctness on the test shapes; nothing is timed.
  Job check(const Kernel& kernel, const Digest& build_hash) const;
  Job duel(const Kernel& challenger, const Digest& challenger_build, const Kernel& incumbent,
           const Digest& incumbent_build, std::int64_t look,
           const std::vector<std::string>& roles = {"bench"}) const;
  /// A verification against a named baseline of the evaluator, or against `opponent`'s kernel.
  Job verify(const Kernel& kernel, const Digest& build_hash, Opponent opponent,
             const Digest& opponent_build, const std::vector<std::string>& roles,
             std::int64_t look = 0) const;
  Job sanitize(const Kernel& kernel, const Digest& build_hash) const;
  /// One call of a named baseline of the evaluator, at the first bench shape.
  Job probe(const std::string& opponent) const;

 private:
  Job measured(JobKind kind, const Kernel& kernel, const Digest& build_hash, Opponent opponent,
               const Digest& opponent_build, std::vector<std::string> roles,
               std::int64_t look) const;
  const EvaluatorInfo& info_;
  std::size_t device_;
  Digest task_hash_;
  std::string task_text_;  ///< task_hash_.hex(), cached since every measure key contains it
};

}  // namespace ke

#pragma once
// A job: one piece of work for an evaluator. Serialisable, idempotent by key.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel.hpp"

namespace ke {

enum class JobKind {
  build,     ///< compile, check the binary, read descriptors
  screen,    ///< judge correctness, then one short comparison against the anchor
  duel,      ///< direct comparison of challenger and incumbent, with controlled error
  verify,    ///< comparison of the champion with one named baseline, in fresh processes
  sanitize,  ///< the device's sanitizers on the test shapes; nothing is timed
  probe,     ///< one call of a named opponent, without a kernel; never journaled
};
constexpr JobKind last_value(JobKind) { return JobKind::probe; }
constexpr std::string_view to_string(JobKind kind) {
  constexpr std::string_view names[] = {"build", "screen", "duel", "verify", "sanitize", "probe"};
  return names[static_cast<std::size_t>(kind)];
}

/// The opponent of a comparison: a named kernel of the task (anchor, naive, a baseline) or a kernel
/// of the search.
struct Opponent {
  std::string name;  ///< "anchor", "naive", a baseline's name, or "" for `kernel`
  std::optional<Kernel> kernel;
  KE_CODED(name, kernel)
};

/// The search's request to an evaluator. Contains everything a remote evaluator needs.
struct Job {
  Digest key;
  JobKind kind = JobKind::build;
  Kernel kernel;
  std::optional<Opponent> opponent;
  /// Workloads to time: roles (bench, validation, holdout), or labels of single workloads.
  std::vector<std::string> roles;
  std::vector<std::string> needs;  ///< capabilities of the worker, e.g. "cpu", "avx512f"
  std::int64_t look = 0;         ///< 0 at first; higher when an unreliable measurement is repeated
  std::int64_t deadline_ms = 0;  ///< 0 = the evaluator's own limits
  std::size_t device = 0;        ///< index of the device, for local routing only; not encoded

  KE_CODED(key, kind, kernel, opponent, roles, needs, look, deadline_ms)
};

/// Identity of a measurement: equal keys share one result (DESIGN "measure_key").
struct MeasureKey {
  Digest build_hash;
  Digest opponent_build_hash;
  std::vector<std::string> workloads;
  JobKind purpose = JobKind::screen;
  std::string device_class;
  std::int64_t protocol_version = 0;
  std::int64_t look = 0;
  void encode(Encoder& out) const {
    out("measure/1")(build_hash)(opponent_build_hash)(workloads)(purpose)(device_class);
    out(protocol_version)(look);
  }
};

}  // namespace ke

#pragma once
// Provenance of a session: host, hardware, binary.

#include "archive/session.hpp"

namespace ke {

/// Describes this machine and binary. `sandbox_level` is the evaluator's.
SessionInfo describe_host(std::string sandbox_level);

/// Milliseconds since 1970, UTC.
std::int64_t now_ms();

/// Value of a key in /proc/cpuinfo, e.g. "model name"; "" if absent.
std::string cpu_info(std::string_view key);

}  // namespace ke

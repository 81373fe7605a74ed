#pragma once
// Provenance: one process that worked on a run.

#include <cstdint>
#include <optional>
#include <string>

namespace ke {

/// Environment of a session. Times are milliseconds since 1970, UTC, given by the caller.
struct SessionInfo {
  std::string host;
  std::string hardware;
  std::string microcode;
  std::string kernel;  ///< version of the operating system's kernel
  std::string binary_hash;
  std::string sandbox_level;
  std::int64_t started_ms = 0;
  std::optional<std::int64_t> stopped_ms;  ///< nothing: still running, or killed
  std::optional<std::int64_t> exit_code;
};

}  // namespace ke

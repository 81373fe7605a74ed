#pragma once
// The streams and the environment that a verb gets, and the exit codes that it may end with.

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "core/result.hpp"

namespace ke {

/// Output streams and environment of a verb. Only main fills it.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool terminal = false;     ///< `err` is a terminal that can redraw a line
  std::string cache_folder;  ///< cache of builds shared between runs; "" = none
  /// Value of an environment variable that the user names, e.g. for an API key.
  std::function<std::optional<std::string>(const std::string&)> variable = {};
};

namespace exit_code {
inline constexpr int done = 0;
inline constexpr int negative = 1;
inline constexpr int usage = 2;
inline constexpr int safety = 3;
inline constexpr int device = 4;
inline constexpr int provider = 5;
inline constexpr int replay_miss = 6;
inline constexpr int store = 7;
inline constexpr int waiting = 8;
inline constexpr int nothing_judged = 9;
inline constexpr int bug = 70;  ///< a failed KE_CHECK
inline constexpr int interrupted = 130;
inline constexpr int terminated = 143;
}  // namespace exit_code

/// Exit code of a failure that the world caused.
inline int exit_code_of(Failure failure) {
  switch (failure) {
    case Failure::usage:
    case Failure::config:
    case Failure::reference: return exit_code::usage;
    case Failure::device: return exit_code::device;
    case Failure::provider: return exit_code::provider;
    case Failure::replay_miss: return exit_code::replay_miss;
    case Failure::store:
    case Failure::io: break;
  }
  return exit_code::store;
}

}  // namespace ke

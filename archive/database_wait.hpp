#pragma once
// Decides how long a process waits while its database cannot be reached.

#include <functional>
#include <string>

namespace ke {

/// A connection that was there once is tried again without end, after pauses of up to 5 s.
struct DatabaseWait {
  /// The first connection too: many workers may start before the server can take all of them. A
  /// wrong password or certificate is an error at once.
  bool patient = false;
  /// Asked between two tries; true ends them with an error.
  std::function<bool()> stop = [] { return false; };
  /// Takes one line for people. The address is never part of it.
  std::function<void(const std::string&)> tell = [](const std::string&) {};
};

}  // namespace ke

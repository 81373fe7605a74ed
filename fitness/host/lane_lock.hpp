#pragma once
// Keeps processes of one machine from timing kernels on the same processor or GPU at the same time.

#include <array>
#include <atomic>
#include <functional>
#include <string>

#include "fitness/sandbox/fd.hpp"

namespace ke {

/// Holds one processor, all of them, or a GPU until its end. Processes wait in turn, by locks on
/// files that the system drops when their process dies. Those that cannot open the files do not
/// wait.
class LaneLock {
 public:
  using Tell = std::function<void(const std::string& line)>;

  /// Waits until nobody else holds `core`, -1 = any core, or `closing` is true. Calls `tell` once
  /// with who holds it when that takes longer than a moment.
  LaneLock(int core, const std::atomic<bool>& closing, const Tell& tell);
  /// The same for the GPU at that place on the bus, "0000:0f:00.0".
  LaneLock(const std::string& gpu, const std::atomic<bool>& closing, const Tell& tell);

 private:
  std::array<Fd, 2> held_;  ///< locks on the machine and on the core, or on the GPU
};

}  // namespace ke

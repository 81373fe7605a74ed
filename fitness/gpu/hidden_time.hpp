#pragma once
// Work that the events of a call do not see shows in the judge's own clock, in one arm alone.

#include <array>
#include <cstdint>
#include <vector>

namespace ke::gpu {

/// What calls of two arms took on the judge's clock beyond their events.
class HiddenTime {
 public:
  /// A call of the challenger (arm 0) or the opponent (arm 1).
  void add(int arm, std::int64_t event_ns, std::int64_t host_ns);
  /// Whether the lower quartile of the challenger's is above the opponent's by more than the slack
  /// and a quarter of its median event: two arms that hide nothing differ by some 50 us over 14
  /// calls on an H100, where switching between the contexts of judge and worker takes about 200.
  /// Of half a dozen calls a busy host can delay most, so ask again with more. Needs a call of each
  /// arm.
  bool suspected(std::int64_t slack_ns = slack_of_kernels_ns) const;

  static constexpr std::int64_t slack_of_kernels_ns = 200'000;
  /// Where the opponent is PyTorch, in a process of its own that prepares calls otherwise: an
  /// embedding bag that hides nothing was suspected with the slack of kernels.
  static constexpr std::int64_t slack_of_modules_ns = 2'000'000;

 private:
  std::array<std::vector<double>, 2> beyond_;
  std::vector<double> events_;  ///< the challenger's
};

}  // namespace ke::gpu

#pragma once
// Detects work outside a call's events: it shows on the judge's own clock, in one arm only.

#include <array>
#include <cstdint>
#include <vector>

namespace ke::gpu {

/// Time of both arms' calls on the judge's clock beyond their events.
class HiddenTime {
 public:
  /// Adds a call of the challenger (arm 0) or the opponent (arm 1).
  void add(int arm, std::int64_t event_ns, std::int64_t host_ns);
  /// Whether the challenger's lower quartile exceeds the opponent's by more than the slack plus a
  /// quarter of the challenger's median event. Two arms that hide nothing differ by some 50 us over
  /// 14 calls on an H100, where switching between the contexts of judge and worker takes about 200
  /// us. A busy host can delay most of half a dozen calls, so ask again with more. Needs a call of
  /// each arm.
  bool suspected(std::int64_t slack_ns = slack_of_kernels_ns) const;

  static constexpr std::int64_t slack_of_kernels_ns = 200'000;
  /// For PyTorch as opponent, which prepares calls differently in its own process: with the slack
  /// of kernels, an embedding bag that hides nothing was suspected.
  static constexpr std::int64_t slack_of_modules_ns = 2'000'000;

 private:
  std::array<std::vector<double>, 2> beyond_;
  std::vector<double> events_;  ///< event times of the challenger
};

}  // namespace ke::gpu

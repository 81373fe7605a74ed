#pragma once
// One quad of a GPU's cluster, repeated when it was disturbed.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/timing/cluster.hpp"

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

/// Device times of one arm's calls, all after its module was loaded.
class FirstCall {
 public:
  /// Adds the call on a content that is new to the arm, or one on a content that it has met before,
  /// under any transform.
  void add(bool is_new, std::int64_t event_ns);
  /// Whether the new call took 1.5 times the median of the others plus 5 us. Any disturbance may
  /// delay one call, so ask again with others.
  bool suspected() const;

 private:
  std::vector<double> known_;
  double new_ns_ = 0;
};

/// Compares the calls of both arms on a content that neither met before with their other calls.
class Recall {
 public:
  void add(int arm, bool is_new, std::int64_t event_ns);
  /// How much larger the challenger's log speedup is on contents that it met before; empty unless
  /// both arms made calls of both kinds.
  std::optional<ClusterEstimate> estimate() const;

 private:
  std::array<std::vector<double>, 2> known_, new_;  ///< logarithms of times, by arm
};

struct GpuQuad {
  std::string order;  ///< ABBA | BAAB
  std::array<std::int64_t, 4> event_ns{}, host_ns{};
  bool throttled = false;  ///< the GPU throttled before or after the quad
};

/// Relative distance between the two samples of the arm whose samples agree better. What disturbs
/// one arm alone may be its own doing, and no arm may choose its samples.
double unrest_of(const GpuQuad& quad);

/// Takes one quad; false when a finding ended it.
using TakeQuad = std::function<Result<bool>(GpuQuad& quad)>;

/// Takes a quad up to three times, until one is undisturbed, with growing pauses while the GPU is
/// too hot. Prefers quads that were not throttled, then the one with the least unrest.
/// False when `take` returned false.
Result<bool> take_calm_quad(const TakeQuad& take, GpuQuad& best);

}  // namespace ke::gpu

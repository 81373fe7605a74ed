#pragma once
// Detects a kernel that remembers answers: its first call on a new content is slower.

#include <cstdint>
#include <vector>

namespace ke::gpu {

/// Device times of one arm's calls, all after its module was loaded.
class FirstCall {
 public:
  /// Adds a call on a content that the arm has met before, under any transform.
  void add_known(std::int64_t event_ns) { known_.push_back(static_cast<double>(event_ns)); }
  /// Adds the call on a content that is new to the arm.
  void add_new(std::int64_t event_ns) { new_ns_ = static_cast<double>(event_ns); }
  /// Whether the new call took 1.5 times the median of the others plus 5 us. Any disturbance may
  /// delay one call, so ask again with others.
  bool suspected() const;

 private:
  std::vector<double> known_;
  double new_ns_ = 0;
};

}  // namespace ke::gpu

#pragma once
// A kernel that remembers answers is slower where it meets a content for the first time.

#include <cstdint>
#include <vector>

namespace ke::gpu {

/// Device times of one arm's calls, all after its module was loaded.
class FirstCall {
 public:
  /// A call on a content that the arm has met before, whatever its transform.
  void add_known(std::int64_t event_ns) { known_.push_back(static_cast<double>(event_ns)); }
  /// The call on one that it has not.
  void add_new(std::int64_t event_ns) { new_ns_ = static_cast<double>(event_ns); }
  /// Whether the new one took half as long again as the median of the others, and 5 us more. One
  /// call may be delayed by anything, so ask again with others.
  bool suspected() const;

 private:
  std::vector<double> known_;
  double new_ns_ = 0;
};

}  // namespace ke::gpu

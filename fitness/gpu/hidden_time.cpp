#include "fitness/gpu/hidden_time.hpp"

#include "fitness/timing/robust.hpp"

namespace ke::gpu {
namespace {

constexpr double share = 0.25;

}  // namespace

void HiddenTime::add(int arm, std::int64_t event_ns, std::int64_t host_ns) {
  beyond_.at(static_cast<std::size_t>(arm)).push_back(static_cast<double>(host_ns - event_ns));
  if (arm == 0) events_.push_back(static_cast<double>(event_ns));
}

bool HiddenTime::suspected(std::int64_t slack_ns) const {
  return lower_quartile(beyond_[0]) - lower_quartile(beyond_[1]) >=
         static_cast<double>(slack_ns) + share * median_of(events_);
}

}  // namespace ke::gpu

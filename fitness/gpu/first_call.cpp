#include "fitness/gpu/first_call.hpp"

#include "fitness/timing/robust.hpp"

namespace ke::gpu {
namespace {

constexpr double remembered_gain = 1.5;  // as on CPUs
constexpr double jitter_ns = 5'000;

}  // namespace

bool FirstCall::suspected() const {
  return !known_.empty() && new_ns_ > remembered_gain * median_of(known_) + jitter_ns;
}

}  // namespace ke::gpu

#pragma once
// What a prompt is told of the device that measures. No part of any key, and a replay needs none.

#include <cstdint>
#include <map>
#include <string>

#include "core/codec.hpp"

namespace ke {

/// Resources of one GPU multiprocessor that limit how many threads it holds at once; 0 = unknown.
struct ResidencyLimits {
  std::int64_t registers = 0;  ///< of 32 bits
  std::int64_t threads = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t wave = 0;  ///< threads that run in step
  void encode(Encoder& out) const { out(registers)(threads)(shared_bytes)(wave); }
  void decode(Decoder& in) { in(registers)(threads)(shared_bytes)(wave); }
};

struct DeviceSheet {
  std::string text;  ///< lines: what was queried, measured, or follows from tables; "" = unknown
  /// By label of bench and validation workloads: the time that memory alone needs. May be empty.
  std::map<std::string, double> floors_ns;
  std::string time_unit;  ///< of all times of this device; "" = nanoseconds
  ResidencyLimits residency;
  void encode(Encoder& out) const { out(text)(floors_ns)(time_unit)(residency); }
  void decode(Decoder& in) { in(text)(floors_ns)(time_unit)(residency); }
};

}  // namespace ke

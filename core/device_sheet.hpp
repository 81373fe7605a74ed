#pragma once
// The description of the measuring device in prompts. It is part of no key; a replay needs none.

#include <cstdint>
#include <map>
#include <string>

#include "core/codec.hpp"

namespace ke {

/// Limits per GPU multiprocessor on the number of resident threads; 0 = unknown.
struct ResidencyLimits {
  std::int64_t registers = 0;  ///< 32-bit registers
  std::int64_t threads = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t wave = 0;  ///< threads per warp or wavefront
  KE_CODED(registers, threads, shared_bytes, wave)
};

struct DeviceSheet {
  std::string text;  ///< lines of queried, measured or tabulated properties; "" = unknown
  /// The longer of the times that memory traffic and the usual algorithm's operations need, by
  /// label of bench and validation workloads. May be empty.
  std::map<std::string, double> floors_ns;
  std::string time_unit;  ///< unit of all times of this device; "" = nanoseconds
  ResidencyLimits residency;
  KE_CODED(text, floors_ns, time_unit, residency)
};

}  // namespace ke

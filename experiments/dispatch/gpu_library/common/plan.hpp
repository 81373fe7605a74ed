#pragma once
// Launches as the plans of kernels describe them. Part of every exported dispatcher for GPUs and
// OpenCL devices.

#include <array>
#include <cstddef>

#include "number.hpp"

namespace dispatch {

using Status = int;  ///< a status of the driver or runtime
inline constexpr Status success = 0;

/// Device properties that the expressions of launch plans may name.
struct GpuTerms {
  Number sm_count, l2_bytes, smem_optin;
};

using Extent = std::array<Number, 3>;

struct Launch {
  Extent grid = {1, 1, 1}, block = {1, 1, 1};
  Number shared = 0;
  Number carveout = -1;        ///< percent; -1 = the driver chooses
  Extent cluster = {0, 0, 0};  ///< 0 = none
  bool cooperative = false;
  bool dependent = false;  ///< may begin before the previous launch has ended
};

/// One argument of a kernel, which the caller keeps.
struct Argument {
  const void* at;
  std::size_t bytes;

  template <typename Value>
  Argument(const Value& value) : at(&value), bytes(sizeof value) {}
};

/// Converts three lengths. Returns false if one is outside of [1, 2^31 - 1].
template <typename Length>
bool put(Length* into, const Extent& extent) {
  bool fits = true;
  for (std::size_t i = 0; i < extent.size(); ++i) {
    fits = fits && extent[i] >= 1 && extent[i] <= INT32_MAX;
    into[i] = static_cast<Length>(extent[i].value);
  }
  return fits;
}

/// Numbers that a launch passes in 32 bits.
class NarrowNumbers {
 public:
  std::uint32_t put(Number number) {
    fit_ = fit_ && number >= INT32_MIN && number <= INT32_MAX;
    return static_cast<std::uint32_t>(number.value);
  }
  bool fit() const { return fit_; }

 private:
  bool fit_ = true;
};

}  // namespace dispatch

#pragma once
// Chooses a dispatcher's kernel: of those that this processor can run, the best one at the nearest
// measured shape. If no measured shape is near, it is the anchor. Part of every exported
// dispatcher.

#include <array>
#include <cstddef>
#include <cstring>

#include "nearest_shape.hpp"
#include "processor.hpp"

namespace dispatch {

/// A kernel of type `Kernel`, and its preparation if it has one.
template <typename Kernel, typename Prepare>
struct Variant {
  const char* name;
  Kernel kernel;
  Prepare prepare;          ///< null: no preparation
  const Extensions* needs;  ///< null: runs anywhere
  /// True if the kernel keeps variables that threads share, so that one call runs at a time.
  bool keeps_state;
};

/// Measurements of one device.
struct Device {
  const char* processor;
  Extensions extensions;
  const std::size_t* shapes;    ///< (count, axes)
  const unsigned char* orders;  ///< (count, measured): indices of variants from best to worst
  std::size_t count;
  std::size_t measured;
  double reach;  ///< largest factor between an axis of a shape and that of the nearest measured one
};

/// Returns the device that matches this processor, else the first.
inline const Device& this_device(const Device* devices, std::size_t count, const char* processor,
                                 Extensions supported) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool same = std::strcmp(devices[i].processor, processor) == 0;
    if (same && devices[i].extensions == supported) return devices[i];
  }
  return devices[0];
}

/// True if a variant's code can run with `supported`.
template <typename AnyVariant>
bool can_run(const AnyVariant& variant, Extensions supported) {
  return variant.needs == nullptr || (*variant.needs & ~supported) == 0;
}

/// Returns the best variant at the nearest measured shape that can run with `supported`, else the
/// last of `variants`. At an unknown shape, the first of `variants` (the anchor) precedes all
/// others.
template <typename AnyVariant>
const AnyVariant& best_variant(const AnyVariant* variants, std::size_t count, const Device& device,
                               const std::size_t* asked, std::size_t axes, Extensions supported) {
  const auto runs = [&](std::size_t i) { return can_run(variants[i], supported); };
  return variants[best_index(count, device, asked, axes, runs)];
}

/// Caches the answer for the last shape in each thread, because most calls repeat a shape. `choose`
/// maps lengths, none of them 0, to a variant.
template <std::size_t axes, typename AnyVariant, typename Choose>
const AnyVariant& remembered(const std::array<std::size_t, axes>& asked, Choose&& choose) {
  thread_local std::array<std::size_t, axes> last;
  thread_local const AnyVariant* variant = nullptr;
  if (variant != nullptr && last == asked) return *variant;
  std::array<std::size_t, axes> lengths = asked;
  for (std::size_t& length : lengths) length = length > 0 ? length : 1;
  last = asked;
  variant = &choose(lengths.data());
  return *variant;
}

}  // namespace dispatch
